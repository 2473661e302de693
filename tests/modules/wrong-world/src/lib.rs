//! A component that someone wrote for something else.

// The bindings are generated here: this world has no SDK.
#![allow(missing_docs, unreachable_pub, unsafe_code, clippy::all)]

wit_bindgen::generate!({
    inline: "
        package shop:till@1.0.0;

        world till {
            export total: func(prices: list<u32>) -> u32;
        }
    ",
});

struct Till;

impl Guest for Till {
    fn total(prices: Vec<u32>) -> u32 {
        prices.iter().sum()
    }
}

export!(Till);
