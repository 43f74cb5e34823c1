//! What others on this machine, or a page in another tab, might try on the workbench. Each attack must be refused, and nothing of it come back.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use workbench::{Served, Settings, serve};

/// A workbench on a folder with a project, a table and a link that leads out.
struct House {
    folder: tempfile::TempDir,
    _outside: tempfile::TempDir,
    served: Served,
    port: u16,
    token: String,
}

fn settings(root: &std::path::Path) -> Settings {
    Settings { root: root.to_owned(), port: 0, socket: None, program: "/nonexistent".into() }
}

impl House {
    fn new() -> Self {
        let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::write(outside.path().join("secret.csv"), "name\nCANARY\n").unwrap();
        std::fs::write(outside.path().join("lookalike.toml"), "data = \"secret.csv\"\n").unwrap();
        let rows: String = (0..60).map(|row| format!("{},{}\n", ["F", "M"][row % 2], row % 7)).collect();
        std::fs::write(folder.path().join("people.csv"), format!("sex,<script>alert(1)</script>\n{rows}"))
            .unwrap();
        std::fs::create_dir(folder.path().join("project")).unwrap();
        std::fs::write(
            folder.path().join("project/lookalike.toml"),
            "data = \"../people.csv\"\nschema = \"schema.toml\"\n",
        )
        .unwrap();
        std::fs::write(
            folder.path().join("project/schema.toml"),
            "[variables.sex]\nkind = \"categorical\"\nlevels = [\"F\", \"M\"]\n",
        )
        .unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(outside.path(), folder.path().join("link")).unwrap();
        let served = serve(&settings(folder.path())).unwrap();
        let rest = served.link().strip_prefix("http://127.0.0.1:").unwrap().to_owned();
        let (port, token) = rest.split_once("/enter?token=").unwrap();
        Self { folder, _outside: outside, port: port.parse().unwrap(), token: token.to_owned(), served }
    }

    fn raw(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        // A server that has refused may close before all is sent.
        drop(stream.write_all(bytes));
        let mut answer = Vec::new();
        drop(stream.read_to_end(&mut answer));
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn ask(&self, line: &str, headers: &[String], body: &str) -> String {
        let own = format!("Host: 127.0.0.1:{}", self.port);
        let host = if headers.iter().any(|header| header.starts_with("Host:")) {
            String::new()
        } else {
            format!("{own}\r\n")
        };
        let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
        self.raw(
            format!("{line} HTTP/1.1\r\n{host}{headers}Content-Length: {}\r\n\r\n{body}", body.len())
                .as_bytes(),
        )
    }

    fn enter(&self) -> String {
        let answer = self.ask(&format!("GET /enter?token={}", self.token), &[], "");
        assert!(answer.starts_with("HTTP/1.1 303"), "{answer}");
        let cookie = answer.split("Set-Cookie: ").nth(1).unwrap();
        assert!(cookie.contains("; HttpOnly; SameSite=Strict; Path=/"));
        format!("Cookie: {}", cookie.split(';').next().unwrap())
    }
}

fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0)
}

#[test]
fn attacks_are_refused() {
    let house = House::new();
    let get = |path: &str, headers: &[String]| house.ask(&format!("GET {path}"), headers, "");
    // Without the link.
    assert_eq!(status(&get("/", &[])), 401);
    assert_eq!(status(&get("/style.css", &[])), 401);
    assert_eq!(status(&get("/enter?token=", &[])), 401);
    assert_eq!(status(&get("/enter?token=00000000000000000000000000000000", &[])), 401);
    assert_eq!(status(&get("/", &["Cookie: lookalike=".into()])), 401);
    let cookie = house.enter();
    // The link works once.
    assert_eq!(status(&get(&format!("/enter?token={}", house.token), &[])), 401);
    let inside = |path: &str| get(path, std::slice::from_ref(&cookie));
    let home = inside("/");
    assert_eq!(status(&home), 200);
    for header in [
        "Content-Security-Policy: default-src 'none'; script-src 'self'",
        "X-Content-Type-Options: nosniff",
        "Cache-Control: no-store",
        "X-Frame-Options: DENY",
        // With no-referrer a browser sends `Origin: null` with our own forms, and nobody could do anything.
        "Referrer-Policy: same-origin",
    ] {
        assert!(home.contains(header), "{header}");
    }
    // Another name for this machine, another origin, another site.
    let with = |extra: &str| vec![cookie.clone(), extra.to_owned()];
    assert_eq!(status(&get("/", &with("Host: evil.example"))), 421);
    assert_eq!(status(&get("/", &with(&format!("Host: evil.example:{}", house.port)))), 421);
    assert_eq!(status(&get("/", &with("Origin: http://evil.example"))), 403);
    assert_eq!(status(&get("/", &with("Origin: null"))), 403);
    assert_eq!(status(&get("/", &with("Sec-Fetch-Site: cross-site"))), 403);
    assert_eq!(status(&get("/", &with(&format!("Origin: http://127.0.0.1:{}", house.port)))), 200);
    // Paths that lead out.
    for path in
        ["../", "/etc/passwd", "link", "link/secret.csv", "%2e%2e%2f", "..%5c", "%00", "project/../../x"]
    {
        for page in [
            "/open?file=",
            "/project?project=",
            "/schema?project=",
            "/plan?project=",
            "/frontier?project=",
            "/point?project=",
            "/release?project=",
            "/log?project=",
            "/log.sh?project=",
        ] {
            let answer = inside(&format!("{page}{path}"));
            assert!(matches!(status(&answer), 400 | 404), "{page}{path}: {}", status(&answer));
            assert!(!answer.contains("CANARY") && !answer.contains("/tmp"), "{page}{path}");
        }
    }
    assert_eq!(status(&inside("/report?project=project&file=../people.csv")), 404);
    assert_eq!(status(&inside("/report?project=project&file=lookalike.toml")), 404);
    for file in
        ["looks/../../people.html", "looks/..html", "looks/a/b.html", "looks/%2e%2e%2fx.html", "looks/.html"]
    {
        assert_eq!(status(&inside(&format!("/report?project=project&file={file}"))), 404, "{file}");
    }
    // A project whose own file or table is a link out of the root.
    #[cfg(unix)]
    {
        let out = house._outside.path();
        std::fs::create_dir(house.folder.path().join("linked")).unwrap();
        std::os::unix::fs::symlink(
            out.join("lookalike.toml"),
            house.folder.path().join("linked/lookalike.toml"),
        )
        .unwrap();
        assert_eq!(status(&inside("/project?project=linked")), 404);
        std::fs::create_dir(house.folder.path().join("pointing")).unwrap();
        let text =
            format!("data = \"{}\"\nschema = \"../link/schema.toml\"\n", out.join("secret.csv").display());
        std::fs::write(house.folder.path().join("pointing/lookalike.toml"), text).unwrap();
        for page in ["/schema", "/plan", "/frontier", "/release"] {
            let answer = inside(&format!("{page}?project=pointing&epsilon=1"));
            assert!(status(&answer) == 200 && !answer.contains("CANARY"), "{page}");
        }
    }
    assert_eq!(status(&inside("/../../etc/passwd")), 404);
    // What changes something needs a form of our own; a page elsewhere cannot have one.
    let post = |path: &str, headers: &[String], body: &str| house.ask(&format!("POST {path}"), headers, body);
    for path in ["/begin", "/schema", "/grid", "/limits", "/start", "/cancel"] {
        assert_eq!(
            status(&post(path, std::slice::from_ref(&cookie), "project=project&what=verify&id=1")),
            403,
            "{path}"
        );
        assert_eq!(status(&post(path, &[], "project=project")), 401, "{path}");
        assert_eq!(status(&inside(path)), 404, "{path} by GET changes nothing");
    }
    assert_eq!(status(&post("/start", &with("X-Lookalike: 1"), "project=link&what=verify")), 404);
    assert_eq!(status(&post("/start", &with("X-Lookalike: 1"), "project=project&what=rm+-rf")), 422);
    assert_eq!(
        status(&post("/start", &with("X-Lookalike: 1"), "project=project&what=frontier&repeat=1;rm")),
        422
    );
    assert_eq!(
        status(&post("/start", &with("X-Lookalike: 1"), "project=project&what=look&name=..%2Fx")),
        422
    );
    assert_eq!(
        status(&post("/start", &with("X-Lookalike: 1"), "project=project&what=release&accepted_by=+")),
        422
    );
    assert_eq!(status(&post("/start", &with("X-Lookalike: 0"), "project=project&what=verify")), 403);
    assert_eq!(
        status(&post(
            "/start",
            std::slice::from_ref(&cookie),
            "form=00000000000000000000000000000000&project=project&what=verify"
        )),
        403
    );
    // A form of ours that comes from elsewhere.
    let own = inside("/schema?project=project");
    let token = own.split("name=\"form\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let body = format!("form={token}&project=project&what=verify");
    assert_eq!(status(&post("/start", &with("Origin: http://evil.example"), &body)), 403);
    assert_eq!(status(&post("/start", &with("Sec-Fetch-Site: cross-site"), &body)), 403);
    assert_eq!(status(&post("/cancel", &with("X-Lookalike: 1"), "id=99")), 404);
    assert_eq!(status(&post("/cancel", &with("X-Lookalike: 1"), "id=-1")), 404);
    assert_eq!(
        status(&post("/begin", &with("X-Lookalike: 1"), "file=people.csv&folder=../elsewhere")),
        200,
        "the form again, with the reason"
    );
    assert!(!house.folder.path().parent().unwrap().join("elsewhere").exists());
    assert_eq!(status(&house.ask("DELETE /project", std::slice::from_ref(&cookie), "")), 405);
    // Bombs.
    assert_eq!(
        status(
            &house.raw(
                format!(
                    "POST /start HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: 2097152\r\n\r\n",
                    house.port
                )
                .as_bytes()
            )
        ),
        413
    );
    let long =
        format!("GET / HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nX: {}\r\n\r\n", house.port, "x".repeat(100_000));
    assert!(matches!(status(&house.raw(long.as_bytes())), 0 | 431));
    assert_eq!(status(&house.raw(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\r\n\r\n")), 400);
    let many: String = (0..200).map(|at| format!("X-{at}: y\r\n")).collect();
    let many = format!("GET / HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{many}\r\n", house.port);
    assert!(matches!(status(&house.raw(many.as_bytes())), 0 | 431));
    let longer = format!(
        "POST /start HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: 99999999999999999999\r\n\r\n",
        house.port
    );
    assert_eq!(status(&house.raw(longer.as_bytes())), 400);
    // A header that is smuggled by a value that comes back in one.
    let answer = post("/begin", &with("X-Lookalike: 1"), "file=people.csv&folder=a%0d%0aSet-Cookie:%20x=y");
    assert!(!answer.contains("\r\nSet-Cookie"), "{answer}");
    // Ten thousand connections that say nothing do not keep others out once they are gone.
    for _ in 0..20 {
        let idle: Vec<TcpStream> =
            (0..500).filter_map(|_| TcpStream::connect(("127.0.0.1", house.port)).ok()).collect();
        drop(idle);
    }
    let begun = std::time::Instant::now();
    while status(&inside("/")) != 200 {
        assert!(begun.elapsed() < Duration::from_secs(15));
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[cfg(unix)]
#[test]
fn a_socket_file_is_for_its_owner_alone_and_asks_for_the_same() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::UnixStream;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("desk");
    let with_socket = || Settings { socket: Some(path.clone()), ..settings(folder.path()) };
    let served = serve(&with_socket()).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let ask = |line: &str, headers: &str| {
        let mut stream = UnixStream::connect(&path).unwrap();
        stream.write_all(format!("{line} HTTP/1.1\r\n{headers}\r\n").as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    // Whoever forwards it chooses the port; a name that is not this machine's is refused, and so is a page of another port.
    assert_eq!(status(&ask("GET /", "Host: 127.0.0.1:9000\r\n")), 401);
    assert_eq!(status(&ask("GET /", "Host: evil.example:9000\r\n")), 421);
    assert_eq!(status(&ask("GET /", "Host: localhost\r\n")), 421);
    let token = served.link().split("token=").nth(1).unwrap().to_owned();
    let entered = ask(&format!("GET /enter?token={token}"), "Host: localhost:9000\r\n");
    assert_eq!(status(&entered), 303);
    let cookie = entered.split("Set-Cookie: ").nth(1).unwrap().split(';').next().unwrap().to_owned();
    let inside = |extra: &str| ask("GET /", &format!("Host: localhost:9000\r\nCookie: {cookie}\r\n{extra}"));
    assert_eq!(status(&inside("")), 200);
    assert_eq!(status(&inside("Origin: http://localhost:9000\r\n")), 200);
    assert_eq!(status(&inside("Origin: http://localhost:9001\r\n")), 403);
    // A second one is refused by the folder; what is no socket is not overwritten; what a killed one left is.
    assert!(serve(&with_socket()).is_err());
    drop(served);
    let begun = std::time::Instant::now();
    while path.exists() {
        assert!(begun.elapsed() < Duration::from_secs(10), "the socket is left behind");
        std::thread::sleep(Duration::from_millis(20));
    }
    std::fs::write(&path, "a file").unwrap();
    assert!(serve(&with_socket()).is_err() && std::fs::read_to_string(&path).unwrap() == "a file");
    std::fs::remove_file(&path).unwrap();
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    assert!(path.exists());
    assert!(serve(&with_socket()).is_ok());
}

#[test]
fn names_of_columns_and_texts_are_shown_and_never_run() {
    let house = House::new();
    let cookie = house.enter();
    let page = house.ask("GET /open?file=people.csv", std::slice::from_ref(&cookie), "");
    assert_eq!(status(&page), 200);
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;") && !page.contains("<script>alert"));
    let token = page.split("name=\"form\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    // A schema that is wrong is not saved, and comes back as text.
    let before = std::fs::read_to_string(house.folder.path().join("project/schema.toml")).unwrap();
    let body =
        format!("form={token}&project=project&schema=%3C/textarea%3E%3Cscript%3Ealert(2)%3C/script%3E");
    let answer = house.ask("POST /schema", std::slice::from_ref(&cookie), &body);
    assert!(
        status(&answer) == 200 && answer.contains("Not saved") && !answer.contains("<script>alert"),
        "{answer}"
    );
    assert_eq!(std::fs::read_to_string(house.folder.path().join("project/schema.toml")).unwrap(), before);
    let body = format!(
        "form={token}&project=project&schema=%5Bvariables.sex%5D%0Akind=%22categorical%22%0Alevels=%5B%22F%22,%22M%22,%22X%22%5D%0A"
    );
    assert_eq!(status(&house.ask("POST /schema", std::slice::from_ref(&cookie), &body)), 303);
    assert!(
        std::fs::read_to_string(house.folder.path().join("project/schema.toml")).unwrap().contains("\"X\"")
    );
    // Names of files and of projects, what people write into a decision, and what a program prints.
    let name = "<img src=x onerror=alert(3)>";
    std::fs::write(house.folder.path().join(format!("{name}.csv")), "a\n1\n2\n").unwrap();
    std::fs::create_dir(house.folder.path().join(name)).unwrap();
    std::fs::write(house.folder.path().join(name).join("lookalike.toml"), "limits = [\"<b>bold</b>\"]\n")
        .unwrap();
    let home = house.ask("GET /", std::slice::from_ref(&cookie), "");
    assert!(home.contains("&lt;img src=x") && !home.contains("<img"), "{home}");
    let path = name.replace(' ', "%20").replace('<', "%3C").replace('>', "%3E");
    for page in ["/project", "/schema", "/frontier", "/release", "/log"] {
        let answer = house.ask(&format!("GET {page}?project={path}"), std::slice::from_ref(&cookie), "");
        assert!(
            status(&answer) == 200 && !answer.contains("<img") && !answer.contains("<b>bold"),
            "{page}: {answer}"
        );
    }
    let body = format!(
        "form={token}&project=project&what=release&accepted_by=%3Cscript%3Ealert(4)%3C/script%3E&note=%3C/pre%3E%3Cscript%3E"
    );
    let answer = house.ask("POST /start", std::slice::from_ref(&cookie), &body);
    let job = answer.split("Location: ").nth(1).unwrap().split("\r\n").next().unwrap().to_owned();
    for page in [job.clone(), job.replace("/job", "/job.json"), "/log?project=project".to_owned()] {
        let answer = house.ask(&format!("GET {page}"), std::slice::from_ref(&cookie), "");
        assert!(status(&answer) == 200 && !answer.contains("<script>"), "{page}: {answer}");
    }
}

#[test]
fn a_project_begins_by_a_form_and_its_log_tells_the_commands() {
    let house = House::new();
    let cookie = house.enter();
    std::fs::write(house.folder.path().join("small.csv"), "sex,age\nF,31\nM,47\nF,22\nM,35\n").unwrap();
    let page = house.ask("GET /open?file=small.csv", std::slice::from_ref(&cookie), "");
    let token = page.split("name=\"form\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let body = format!(
        "form={token}&file=small.csv&folder=mine&keys=sex&targets=age&limits=&public_because=a+code+book"
    );
    let answer = house.ask("POST /begin", std::slice::from_ref(&cookie), &body);
    assert!(answer.contains("Location: /project?project=mine"), "{answer}");
    assert!(house.folder.path().join("mine/lookalike.toml").exists());
    let body = format!("form={token}&project=mine&what=release&accepted_by=O%27Hara&note=x%0Ay");
    assert_eq!(status(&house.ask("POST /start", std::slice::from_ref(&cookie), &body)), 303);
    let begun = std::time::Instant::now();
    let log = loop {
        let log = house.ask("GET /log.sh?project=mine", std::slice::from_ref(&cookie), "");
        if log.contains("release") || begun.elapsed() > Duration::from_secs(10) {
            break log;
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    let init = "\nlookalike init small.csv --yes --out=mine --identifiers= --keys=sex --targets=age '--public-because=a code book'\n";
    assert!(log.contains(init), "{log}");
    // There is no program in this test, so that it failed; and what failed is not run again.
    assert!(
        log.contains("\n# failed: (cd mine && lookalike release --out=release '--accepted-by=O'\\''Hara'"),
        "{log}"
    );
    let (body, rest) = log
        .split_once("#!/bin/sh")
        .map(|(_, script)| script.split_at(script.find("# failed").unwrap()))
        .unwrap();
    assert!(
        !body.contains("release") && rest.lines().skip(1).all(|line| !line.starts_with("lookalike")),
        "{log}"
    );
    assert!(house.served.link().starts_with("http://127.0.0.1:"));
}
