//! A policy that asks before it decides. The first question is `verify` about the name, or what the
//! param `question` says; what is found becomes the config, and nothing found is a rejection: `unknown`
//! where there is no such thing, `unavailable` where nothing was learned.
//!
//! | name begins with | the policy |
//! |---|---|
//! | `again` | asks what has been answered |
//! | `many` | asks 9 questions at once, one more than is allowed |
//! | `rounds` | asks something new every time, without end |
//! | `two` | asks `verify` and `hold` in one round; the config is both answers |
//! | `seat` | asks with a slot of 4 held meanwhile |
//! | `only` | asks nothing but holds a slot of 4; the config is its index |
//! | `act` | accepts with the act `claim-session` and then with its answer as the config |
//! | `undeclared` | asks what its description does not name |

use usher_sdk::prelude::*;

struct Asker;

impl Policy for Asker {
    fn on_connect_request(request: &Request, facts: &Facts) -> Decided {
        let name = request.name();
        let told = |word: &str| name.starts_with(word);
        let asked = params::get("question").unwrap_or_else(|| "verify".to_owned());
        let question = Question::new(asked).arg(name);
        let slot = Claim::on(Key::slot())
            .at_most(4)
            .lowest_index()
            .or(Reason::new("server-full", "There is no slot").number(1));

        if told("again") && facts.find(&question).is_some() {
            return Verdict::ask(question).into();
        } else if told("many") {
            let more = (0..8).map(|number| numbered(&question, number));
            return more
                .fold(Verdict::ask(question.clone()), |it, next| it.and(next))
                .into();
        } else if told("rounds") {
            let new = (0_u32..).map(|number| numbered(&question, number));
            for next in new {
                facts.get(next)?;
            }
        } else if told("two") {
            let hold = Question::new("hold").arg(name);
            let answers = facts.all(Verdict::ask(question).and(hold))?;
            let config: Vec<_> = answers.iter().filter_map(|answer| answer.found()).collect();
            return Verdict::accept()
                .identity(name)
                .config(config.concat())
                .into();
        } else if told("seat") {
            let answers = facts.all(Verdict::ask(question).hold(slot.clone()))?;
            let config = answers[0].found().unwrap_or(b"nothing");
            return Verdict::accept()
                .identity(name)
                .claim(slot)
                .config(config)
                .into();
        } else if told("only") {
            let Some(index) = request.held_index(&Key::slot()) else {
                return Verdict::hold(slot).into();
            };
            return Verdict::accept()
                .claim(slot)
                .config(index.to_string())
                .into();
        } else if told("act") {
            let act = Question::new("claim-session").arg(name);
            let acceptance = Verdict::accept().identity(name).claim(slot);
            return match facts.find(&act).map(|fact| &fact.answer) {
                None => acceptance.then(act).into(),
                Some(answer) => acceptance.config(found(answer)?).into(),
            };
        } else if told("undeclared") {
            facts.get(Question::new("undeclared"))?;
        }

        let config = found(facts.get(question)?)?;
        Verdict::accept()
            .identity(name)
            .claim(slot)
            .config(config)
            .into()
    }

    fn describe() -> Description {
        let description = Description::new()
            .name("asker")
            .question("verify")
            .question("hold");
        // A param may name a third; without it the two and the act are all.
        let description = match params::get("question") {
            Some(name) if name != "verify" && name != "hold" => description.question(name),
            _ => description,
        };
        description.question("claim-session")
    }
}

fn numbered(question: &Question, number: u32) -> Question {
    question.clone().arg(number.to_string())
}

fn found(answer: &Answer) -> Result<&[u8], Reason> {
    match answer {
        Answer::Found(body) => Ok(body),
        Answer::Missing => Err(Reason::new("unknown", "Nobody knows you")),
        Answer::Unavailable(why) => Err(Reason::new("unavailable", why)),
    }
}

usher_sdk::export_policy!(Asker);
