//! The workbench as a browser without scripts uses it, over real sockets: a release by clicks is the release of the logged commands, and what is
//! cancelled leaves no process behind.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::harness::lookalike;

/// The time that every file of the test carries.
const WHEN: &str = "1700000000";

/// The program on a folder, and a browser that was let in.
struct Desk {
    child: Child,
    port: u16,
    cookie: String,
}

impl Desk {
    fn on(root: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_lookalike"))
            .args(["workbench", "--no-browser", "--root"])
            .arg(root)
            .env("SOURCE_DATE_EPOCH", WHEN)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let link = lines.map_while(Result::ok).find(|line| line.starts_with("http://127.0.0.1:")).unwrap();
        let (port, token) =
            link.strip_prefix("http://127.0.0.1:").unwrap().split_once("/enter?token=").unwrap();
        let mut desk = Self { child, port: port.parse().unwrap(), cookie: String::new() };
        let entered = desk.ask(&format!("GET /enter?token={token}"), "");
        desk.cookie = entered.split("Set-Cookie: ").nth(1).unwrap().split(';').next().unwrap().to_owned();
        desk
    }

    fn ask(&self, line: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let (port, cookie) = (self.port, &self.cookie);
        let text = format!(
            "{line} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(text.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn page(&self, path: &str) -> String {
        let answer = self.ask(&format!("GET {path}"), "");
        assert!(answer.starts_with("HTTP/1.1 200"), "{path}: {answer}");
        answer
    }

    /// Fills in and sends the form of a page with this action, and where `what` is named the one that does it; gives where it leads.
    fn send(&self, page: &str, action: &str, what: &str, fields: &[(&str, &str)]) -> String {
        let text = self.page(page);
        let is_it = |form: &&str| {
            form.contains(&format!("action=\"{action}\""))
                && (what.is_empty()
                    || form.contains(&format!("name=\"what\" value=\"{what}\""))
                    || form.contains(&format!("name=\"edit\" value=\"{what}\"")))
        };
        let form = text.split("<form").skip(1).filter_map(|form| form.split("</form>").next()).find(is_it);
        let form = form.unwrap_or_else(|| panic!("{page} has no form {action} {what}"));
        let mut pairs: Vec<(String, String)> = Vec::new();
        for input in form.split("<input").skip(1) {
            let attribute = |name: &str| {
                let (_, rest) = input.split_once(&format!(" {name}=\""))?;
                rest.split('"').next().map(unescaped)
            };
            if input.contains("type=\"checkbox\"") {
                continue;
            }
            pairs.extend(attribute("name").zip(attribute("value")));
        }
        for (name, value) in fields {
            pairs.retain(|(known, _)| known != name);
            pairs.push(((*name).to_owned(), (*value).to_owned()));
        }
        let body: Vec<String> =
            pairs.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
        let answer = self.ask(&format!("POST {action}"), &body.join("&"));
        assert!(answer.starts_with("HTTP/1.1 303"), "{action}: {answer}");
        answer.split("Location: ").nth(1).unwrap().split("\r\n").next().unwrap().to_owned()
    }

    /// Waits until the last job of a project is over; its page.
    fn over(&self, project: &str) -> String {
        let start = Instant::now();
        loop {
            let text = self.page(&format!("/project?project={project}"));
            let job = text.split("/job?id=").nth(1).unwrap().split('"').next().unwrap().to_owned();
            let page = self.page(&format!("/job?id={job}"));
            if page.contains("data-over=\"yes\"") {
                return page;
            }
            assert!(start.elapsed() < Duration::from_secs(300), "{page}");
            std::thread::sleep(Duration::from_millis(200));
        }
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn encoded(text: &str) -> String {
    text.bytes()
        .map(
            |byte| {
                if byte.is_ascii_alphanumeric() {
                    char::from(byte).to_string()
                } else {
                    format!("%{byte:02X}")
                }
            },
        )
        .collect()
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&amp;", "&")
}

/// Every file below a folder with its bytes, by name.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push((
                    path.strip_prefix(folder).unwrap().display().to_string(),
                    std::fs::read(&path).unwrap(),
                ));
            }
        }
    }
    found.sort();
    found
}

fn town(folder: &Path, people: &str) {
    lookalike().args(["town", "--people", people, "--quiet", "--out"]).arg(folder).assert().success();
}

const GRID: &str = "[[recipe]]\nmethod = \"catall\"\n\n[[recipe]]\nmethod = \"pairwise\"\n";

#[test]
fn a_release_by_clicks_is_byte_for_byte_that_of_the_logged_commands() {
    let clicked = tempfile::tempdir().unwrap();
    town(clicked.path(), "300");
    let typed = tempfile::tempdir().unwrap();
    std::fs::copy(clicked.path().join("town.csv"), typed.path().join("town.csv")).unwrap();
    let script = {
        let desk = Desk::on(clicked.path());
        let begun = desk.send(
            "/open?file=town.csv",
            "/begin",
            "",
            &[
                ("folder", "mine"),
                ("keys", "sex,age"),
                ("targets", "education"),
                ("limits", "tables.mean_s_pmse:2 <= 100000"),
                ("public_because", "it's a \"made-up\" town"),
            ],
        );
        assert_eq!(begun, "/project?project=mine");
        // A schema is edited variable by variable, and what is wrong is not saved.
        assert!(desk.page("/schema?project=mine").contains("variable-sex"));
        desk.send("/schema?project=mine", "/schema", "public", &[("reason", "the code book of the town")]);
        assert!(desk.page("/plan?project=mine").contains("single person"));
        desk.send("/frontier?project=mine", "/grid", "", &[("grid", GRID)]);
        desk.send("/frontier?project=mine", "/limits", "", &[("limits", "tables.mean_s_pmse:2 <= 50000")]);
        desk.send("/frontier?project=mine", "/start", "frontier", &[("repeat", "1")]);
        let ran = desk.over("mine");
        assert!(ran.contains(">finished<"), "{ran}");
        let map = desk.page("/frontier?project=mine");
        assert!(
            map.contains("/point?project=mine&amp;name=catall") && map.contains("risk-utility-map"),
            "{map}"
        );
        let point = desk.page("/point?project=mine&name=catall");
        assert!(point.contains("Release catall") && point.contains("What it gives away"));
        assert!(desk.page("/point?project=mine&name=catall&beside=pairwise").contains("(better)"));
        desk.send("/point?project=mine&name=pairwise", "/start", "look", &[]);
        let looked = desk.over("mine");
        assert!(looked.contains(">finished<"), "{looked}");
        assert!(desk.page("/point?project=mine&name=pairwise").contains("looks/pairwise.html"));
        desk.page("/report?project=mine&file=looks/pairwise.html");
        let fields = [
            ("accepted_by", "O'Hara & co"),
            ("choose", "pairwise"),
            ("licence", "CC BY 4.0"),
            ("reproducible", "yes"),
            ("exception", ""),
        ];
        desk.send("/release?project=mine", "/start", "release", &fields);
        let released = desk.over("mine");
        assert!(released.contains(">finished<"), "{released}");
        let page = desk.page("/release?project=mine");
        assert!(page.contains("For the public") && page.contains("synthetic-1.csv"), "{page}");
        desk.page("/report?project=mine&file=release/report.html");
        desk.send("/release?project=mine", "/start", "verify", &[]);
        assert!(desk.over("mine").contains(">finished<"));
        let script = desk.page("/log.sh?project=mine");
        script.split_once("\r\n\r\n").unwrap().1.to_owned()
    };
    // The commands, as a person would run them elsewhere.
    let program = Path::new(env!("CARGO_BIN_EXE_lookalike")).parent().unwrap().display().to_string();
    let path = format!("{program}:{}", std::env::var("PATH").unwrap());
    let ran = Command::new("sh")
        .args(["-c", &script])
        .current_dir(typed.path())
        .env("PATH", path)
        .env("SOURCE_DATE_EPOCH", WHEN)
        .output()
        .unwrap();
    assert!(ran.status.success(), "{script}\n{}", String::from_utf8_lossy(&ran.stderr));
    let [one, other] = [clicked.path(), typed.path()].map(|root| files(&root.join("mine/release")));
    let names = |files: &[(String, Vec<u8>)]| files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&one), names(&other));
    assert!(one.len() > 5, "{:?}", names(&one));
    for ((name, one), (_, other)) in one.iter().zip(&other) {
        assert!(one == other, "{name} differs");
    }
}

/// Processes of this program that were started by that one.
#[cfg(target_os = "linux")]
fn children(of: u32) -> Vec<u32> {
    let parent = |pid: u32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse::<u32>().ok()
    };
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|pid| parent(*pid) == Some(of)).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_cancelled_or_killed_leaves_no_process_and_goes_on_to_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    town(folder.path(), "400");
    let until = |what: &str, done: &dyn Fn() -> bool| {
        let start = Instant::now();
        while !done() {
            assert!(start.elapsed() < Duration::from_secs(120), "{what}");
            std::thread::sleep(Duration::from_millis(10));
        }
        start.elapsed()
    };
    let desk = Desk::on(folder.path());
    for project in ["one", "two"] {
        desk.send(
            "/open?file=town.csv",
            "/begin",
            "",
            &[("folder", project), ("keys", "sex,age"), ("public_because", "made up")],
        );
        desk.send(&format!("/frontier?project={project}"), "/grid", "", &[("grid", GRID)]);
    }
    let run = |project: &str| {
        desk.send(&format!("/frontier?project={project}"), "/start", "frontier", &[("repeat", "12")])
    };
    run("one");
    until("a child", &|| !children(desk.child.id()).is_empty());
    let pid = children(desk.child.id())[0];
    let page = desk.page("/frontier?project=one");
    assert!(page.contains("id=\"map\"") && page.contains(">Pause<"), "{page}");
    desk.send("/frontier?project=one", "/cancel", "", &[]);
    let took = until("no child", &|| children(desk.child.id()).is_empty());
    assert!(took < Duration::from_secs(2) && !Path::new(&format!("/proc/{pid}")).exists(), "{took:?}");
    assert!(desk.over("one").contains(">cancelled<"));
    // Killed in the midst of it, as by an operating system that has no memory left; then it goes on.
    run("one");
    let runs = folder.path().join("one/frontier/runs");
    until("a run", &|| {
        std::fs::read_dir(&runs).is_ok_and(|runs| runs.count() > 3)
            || desk.page("/project?project=one").contains("finished")
    });
    for pid in children(desk.child.id()) {
        Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap();
    }
    desk.over("one");
    run("one");
    assert!(desk.over("one").contains(">finished<"));
    run("two");
    assert!(desk.over("two").contains(">finished<"));
    let frontier =
        |project: &str| std::fs::read(folder.path().join(project).join("frontier/frontier.json")).unwrap();
    assert!(frontier("one") == frontier("two"), "a frontier that was killed is another one");
    assert!(!folder.path().join("one/frontier/so-far.json").exists());
    // A workbench that is killed takes its jobs with it.
    let mut desk = desk;
    desk.send("/frontier?project=two", "/start", "frontier", &[("repeat", "200")]);
    until("a child", &|| !children(desk.child.id()).is_empty());
    let pid = children(desk.child.id())[0];
    desk.child.kill().unwrap();
    desk.child.wait().unwrap();
    until("no orphan", &|| !Path::new(&format!("/proc/{pid}")).exists());
}
