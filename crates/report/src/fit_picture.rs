//! What synthetic files say of a population, as pictures.

use inference::{Answer, Findings};

use crate::pictures::{Coefficient, coefficients, file_name};

/// The estimates of each question with their intervals, as SVG files: name and text. A question without an interval has no picture.
pub fn fit_pictures(findings: &Findings) -> Vec<(String, String)> {
    let legend = format!("estimate, {} % interval", (1000.0 * findings.level.value()).round() / 10.0);
    let answers = findings.answers.iter().enumerate();
    answers.filter_map(|(at, answer)| picture(at, answer, &legend)).collect()
}

fn picture(at: usize, answer: &Answer, legend: &str) -> Option<(String, String)> {
    let drawn: Vec<Coefficient> = answer
        .quantities
        .iter()
        .filter_map(|quantity| {
            let (estimate, interval) = (quantity.estimate?, quantity.interval?);
            let synthetic = Some([interval.low, estimate, interval.high]);
            Some(Coefficient { name: quantity.name.clone(), original: None, synthetic })
        })
        .collect();
    let picture = coefficients(file_name("fit", at, &answer.asked), answer.asked.clone(), legend, &drawn);
    (!drawn.is_empty()).then(|| (format!("{}.svg", picture.name), picture.file()))
}
