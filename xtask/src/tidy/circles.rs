//! Finds circles in a directed graph.

use std::collections::{BTreeSet, VecDeque};

/// The shortest circle through each node that is on one, but none for a node that an earlier
/// circle already passes. Nodes are positions in the list, and the list has the nodes that each
/// leads to. An edge from a node to itself is no circle.
pub(crate) fn circles(edges: &[BTreeSet<usize>]) -> Vec<Vec<usize>> {
    let mut known: BTreeSet<usize> = BTreeSet::new();
    let mut circles = Vec::new();
    for start in 0..edges.len() {
        if known.contains(&start) {
            continue;
        }
        if let Some(circle) = circle_through(start, edges) {
            known.extend(&circle);
            circles.push(circle);
        }
    }
    circles
}

/// Breadth first, so that what is found first is shortest.
fn circle_through(start: usize, edges: &[BTreeSet<usize>]) -> Option<Vec<usize>> {
    let mut came_from = vec![None; edges.len()];
    let mut open = VecDeque::from([start]);
    while let Some(node) = open.pop_front() {
        for &next in &edges[node] {
            if next == start && node != start {
                let mut circle = vec![node];
                let mut last = node;
                while let Some(before) = came_from[last] {
                    circle.push(before);
                    last = before;
                }
                circle.reverse();
                return Some(circle);
            }
            if next != start && came_from[next].is_none() {
                came_from[next] = Some(node);
                open.push_back(next);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(edges: &[&[usize]]) -> Vec<Vec<usize>> {
        let edges: Vec<BTreeSet<usize>> = edges
            .iter()
            .map(|targets| targets.iter().copied().collect())
            .collect();
        circles(&edges)
    }

    #[test]
    fn a_graph_that_goes_one_way_has_none() {
        assert!(find(&[]).is_empty());
        assert!(find(&[&[1, 2], &[2], &[]]).is_empty());
        assert!(find(&[&[0]]).is_empty(), "a node may lead to itself");
    }

    #[test]
    fn the_shortest_circle_is_reported_from_its_first_node() {
        assert_eq!(find(&[&[1], &[0]]), [[0, 1]]);
        let shortcut: &[&[usize]] = &[&[1], &[2, 3], &[3], &[0]];
        assert_eq!(find(shortcut), [vec![0, 1, 3], vec![2, 3, 0, 1]]);
    }

    #[test]
    fn separate_circles_are_reported_each_once() {
        let found = find(&[&[], &[2], &[1], &[4], &[5], &[3]]);
        assert_eq!(found, [vec![1, 2], vec![3, 4, 5]]);
    }

    #[test]
    fn a_way_into_a_circle_is_not_on_it() {
        assert_eq!(find(&[&[1], &[2], &[1]]), [[1, 2]]);
    }
}
