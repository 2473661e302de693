//! docs/benchmarks.md and its charts, out of the newest figures of every row.

mod bars;
mod canvas;
mod curves;
mod date;
mod newest;
mod page;

use std::fs;
use std::path::Path;

use super::row::Row;
use super::site::cannot_use;
use crate::process::Outcome;
use crate::workspace::Workspace;
use newest::Measured;
use page::{Picture, Section};

/// The page, and the folder of its charts and of what is written by hand about rows.
const PAGE: &str = "docs/benchmarks.md";
const CHARTS: &str = "docs/benchmarks";
const NOTES: &str = "docs/benchmarks/notes";

/// Writes the page and the charts.
pub(crate) fn write(workspace: &Workspace, rows: &[Row]) -> Outcome {
    let folder = workspace.target.join("bench");
    let mut sections = Vec::new();
    let mut charts = Vec::new();
    for row in rows {
        let measured = newest::of(&folder, row.name, row.about)?;
        let drawn = measured.as_ref().map_or(Ok(Vec::new()), charts_of)?;
        let pictures = drawn.iter().map(|(picture, _)| picture.clone()).collect();
        charts.extend(drawn);
        sections.push(Section {
            name: row.name,
            about: row.about,
            note: note(&workspace.root, row.name)?,
            measured,
            pictures,
        });
    }
    let page =
        page::render(&sections).ok_or("nothing was measured yet: run `cargo xtask bench`")?;
    let place = workspace.root.join(PAGE);
    replace_charts(&workspace.root.join(CHARTS), &charts)?;
    fs::write(&place, page).map_err(|error| cannot_use(&place, &error))?;
    for section in sections.iter().filter(|section| section.lacks_a_note()) {
        println!(
            "{} misses a line, and {NOTES}/{}.md does not say why",
            section.name, section.name
        );
    }
    println!(
        "{} and {} charts are written",
        place.display(),
        charts.len()
    );
    Ok(())
}

/// Curves of what was measured along something, and bars of what is compared.
fn charts_of(measured: &Measured) -> Outcome<Vec<(Picture, String)>> {
    let mut drawn = Vec::new();
    let curves = curves::of(&measured.figures);
    let bars = bars::of(&measured.figures);
    for (number, (title, svg)) in curves.into_iter().chain(bars).enumerate() {
        let file = format!("{}-{}.svg", measured.row, number + 1);
        let svg = svg.map_err(|error| format!("`{title}` cannot be drawn: {error}"))?;
        drawn.push((Picture { title, file }, svg));
    }
    Ok(drawn)
}

/// What is written by hand about a row.
fn note(root: &Path, row: &str) -> Outcome<Option<String>> {
    let file = root.join(NOTES).join(format!("{row}.md"));
    match fs::read_to_string(&file) {
        Ok(text) => Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(cannot_use(&file, &error)),
    }
}

/// Charts that nothing shows any more go.
fn replace_charts(folder: &Path, charts: &[(Picture, String)]) -> Outcome {
    fs::create_dir_all(folder).map_err(|error| cannot_use(folder, &error))?;
    let files = fs::read_dir(folder).map_err(|error| cannot_use(folder, &error))?;
    for file in files.flatten().map(|file| file.path()) {
        if file.extension().is_some_and(|kind| kind == "svg") {
            fs::remove_file(&file).map_err(|error| cannot_use(&file, &error))?;
        }
    }
    for (picture, svg) in charts {
        let file = folder.join(&picture.file);
        fs::write(&file, svg).map_err(|error| cannot_use(&file, &error))?;
    }
    Ok(())
}
