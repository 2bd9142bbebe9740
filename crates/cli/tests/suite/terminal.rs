//! What a terminal shows during a run, and what a pipe does not get.

use crate::answered_by_models;
use crate::support::{Place, demo_folder, program, str, text};
use app::Progress;
use ledger::Rules;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};
use testkit::api::{ApiServer, KEY, Play, Speaks};

/// More seconds than any run of the demo takes. A run that hangs is killed, and has no summary.
const PATIENCE: u32 = 600;

/// The line printed after everything that a command wrote.
const ENDED: &str = "-- the command has ended --";

/// A terminal with 80 columns and 24 lines in its own tmux server, which is killed when this is dropped.
struct Tmux {
    socket: PathBuf,
}

impl Tmux {
    /// Runs a command in a new terminal, which stays open afterwards; `None` if there is no tmux.
    ///
    /// The shell outlives the command, because tmux drops output that it has not processed yet when the terminal's last program ends.
    fn begin(place: &Place, command: &str) -> Option<Tmux> {
        let conf = place.file("tmux.conf", "set -g status off\nset -g history-limit 9999\n");
        let command = &format!("{command}; echo '{ENDED}'; exec sleep {PATIENCE}");
        let tmux = Tmux { socket: place.path("tmux.socket") };
        let size = ["-x", "80", "-y", "24"];
        let arguments = [&["-f", str(&conf), "new-session", "-d"], &size[..], &[command]].concat();
        let begun = tmux.command(&arguments).output();
        match begun {
            Err(_) => None,
            Ok(begun) => {
                assert!(begun.status.success(), "{}", text(&begun.stderr));
                Some(tmux)
            }
        }
    }

    #[expect(clippy::disallowed_methods, reason = "the terminal of the test is another program's")]
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("tmux");
        let path = std::env::var_os("PATH").unwrap_or_default();
        command.env_clear().env("PATH", path).env("LC_ALL", "C.UTF-8").env("SHELL", "/bin/sh");
        command.arg("-S").arg(&self.socket).args(arguments);
        command
    }

    fn ask(&self, arguments: &[&str]) -> String {
        let Output { status, stdout, stderr } = self.command(arguments).output().unwrap();
        assert!(status.success(), "tmux {arguments:?}: {}", text(&stderr));
        text(&stdout)
    }

    /// The lines on the screen.
    fn screen(&self) -> Vec<String> {
        let shown = self.ask(&["capture-pane", "-p"]);
        shown.trim_end().lines().map(|line| line.trim_end().to_owned()).collect()
    }

    /// Types keys by their tmux names, or literal text after `-l`.
    fn keys(&self, keys: &[&str]) {
        self.ask(&[&["send-keys"], keys].concat());
    }

    /// Waits until this is the last line on the screen; returns all screens seen until then.
    fn until(&self, last: &str) -> Vec<Vec<String>> {
        let mut seen: Vec<Vec<String>> = Vec::new();
        for _ in 0..6000 {
            let screen = self.screen();
            let is_it = screen.last().is_some_and(|line| line == last);
            if seen.last() != Some(&screen) {
                seen.push(screen);
            }
            if is_it {
                return seen;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        panic!("{last:?} never stood there: {:#?}", seen.last());
    }

    /// Gives the terminal another size.
    fn resize(&self, columns: u16, lines: u16) {
        self.ask(&["resize-window", "-x", &columns.to_string(), "-y", &lines.to_string()]);
    }

    /// The cursor's column.
    fn column(&self) -> usize {
        self.ask(&["display-message", "-p", "#{cursor_x}"]).trim().parse().unwrap()
    }

    /// Everything the command wrote, including scrolled-off lines, once it has ended and all of it is shown.
    fn whole_when_ended(&self) -> Option<String> {
        let whole = self.ask(&["capture-pane", "-p", "-J", "-S", "-"]);
        whole.lines().any(|line| line.trim_end() == ENDED).then_some(whole)
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        // If the server is already gone, there is nothing to kill.
        let _ = self.command(&["kill-server"]).output();
    }
}

#[test]
fn in_a_terminal_of_80_columns_the_display_neither_wraps_nor_floods_and_the_summary_follows() {
    let place = Place::new();
    let place_of = |name: &str| str(&place.path(name)).to_owned();
    let command = format!(
        "timeout --foreground {PATIENCE} env -u TMUX LOCARD_NO_HEAD_LOG=1 LOCARD_NO_MEMORY=1 TMPDIR='{}' '{}' run '{}' --runs '{}' --no-cache",
        place_of("."),
        str(&program()),
        str(&demo_folder()),
        place_of("runs"),
    );
    let Some(tmux) = Tmux::begin(&place, &command) else {
        println!("there is no tmux here: nothing was tested");
        return;
    };
    let mut live: Vec<Vec<String>> = Vec::new();
    let summary = loop {
        if let Some(whole) = tmux.whole_when_ended() {
            break whole;
        }
        let screen = tmux.screen();
        // The summary follows the display, and its lines may be of any length.
        if screen.last().is_some_and(|line| line.starts_with("demo: ")) && live.last() != Some(&screen) {
            live.push(screen);
        }
    };
    assert!(!live.is_empty(), "nothing was shown while it ran");
    for screen in &live {
        assert!(screen.len() <= 23, "{screen:#?}");
        for line in screen {
            assert!(line.chars().count() <= 79, "{line:?}");
            let is_task = line.trim_start().starts_with(|c: char| c.is_ascii_digit())
                && (line.ends_with(" met") || line.ends_with(" answered"));
            assert!(is_task || line.starts_with("demo: "), "left over or wrapped: {screen:#?}");
        }
        let cases = screen.iter().filter(|line| line.starts_with("demo: ")).count();
        assert_eq!(cases, 1, "{screen:#?}");
    }
    assert!(summary.contains("sealed ") && summary.contains("next: locard answers"), "{summary}");
    assert!(!summary.contains("tasks ended"), "the display is taken away: {summary}");
}

#[test]
fn in_a_pipe_nothing_is_shown_while_it_runs() {
    let place = Place::new();
    let mut command = place.command(&["run", str(&demo_folder())]);
    let output = command.env("TERM", "xterm-256color").output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
    assert!(!text(&output.stdout).contains('\u{1b}'));
}

#[test]
fn what_an_observer_is_told_of_each_task_agrees_with_how_it_ended() {
    let place = Place::new();
    let told = Arc::new(Mutex::new(Vec::new()));
    let mut request = place.request(Rules::default(), vec![]);
    request.agents = app::shipped_agents().unwrap();
    request.models = Box::new(|agent, _, _| {
        Box::new(llm::Sloppy::new(llm::Playbook::new(agent.steps.clone(), agent.digest), 3))
    });
    let hears = Arc::clone(&told);
    request.work.observe = Arc::new(move |event| hears.lock().unwrap().push(event));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(app::run(request)).unwrap();
    let run = app::load_run(&place.only_run()).unwrap();
    let told = told.lock().unwrap();
    for (id, view) in &run.tasks {
        let ended = view.ended.as_ref().unwrap();
        let (mut facts, mut answered, mut refused, mut begun, mut last) = (0, 0, 0, 0, None);
        for event in told.iter() {
            match event {
                Progress::Assigned { task, .. } if task == id => begun += 1,
                Progress::Recorded { task, facts: more, .. } if task == id => facts += more,
                Progress::Answered { task, .. } if task == id => answered += 1,
                Progress::Refused { task, .. } if task == id => refused += 1,
                Progress::Ended { task, ended, .. } if task == id => last = Some(ended.clone()),
                _ => {}
            }
        }
        assert_eq!((begun, facts, last.as_ref()), (1, ended.facts, Some(ended)));
        let met = ended.objectives.iter().filter(|result| !result.facts.is_empty()).count();
        assert_eq!(answered, met, "{id}");
        assert_eq!(refused, ended.rejections as usize + view.refusals.len(), "{id}");
    }
    assert!(told.iter().any(|it| matches!(it, Progress::Refused { objective: Some(_), .. })));
    assert!(told.iter().any(|it| matches!(it, Progress::Tool { objective: Some(_), .. })));
}

#[test]
fn the_console_edits_wide_letters_keeps_what_was_typed_and_leaves_at_the_second_ctrl_c() {
    let place = Place::new();
    let place_of = |name: &str| str(&place.path(name)).to_owned();
    let command = format!(
        "timeout --foreground {PATIENCE} env -u TMUX LOCARD_NO_HEAD_LOG=1 XDG_STATE_HOME='{}' TMPDIR='{}' '{}' console '{}' --runs '{}' --no-cache --integrity stat",
        place_of("state"),
        place_of("."),
        str(&program()),
        str(&demo_folder()),
        place_of("runs"),
    );
    let Some(tmux) = Tmux::begin(&place, &command) else {
        println!("there is no tmux here: nothing was tested");
        return;
    };
    tmux.until("locard>");
    // These letters take two columns each; a letter with a combining mark takes one.
    tmux.keys(&["-l", "谁登录了"]);
    tmux.keys(&["Left", "Left"]);
    tmux.keys(&["-l", "在"]);
    tmux.until("locard> 谁登在录了");
    assert_eq!(tmux.column(), 8 + 6);
    tmux.keys(&["BSpace", "BSpace"]);
    tmux.until("locard> 谁录了");
    assert_eq!(tmux.column(), 8 + 2);
    tmux.keys(&["C-e"]);
    tmux.keys(&["C-u"]);
    tmux.keys(&["-l", "cafe\u{301}s"]);
    tmux.keys(&["Left", "Left", "Left"]);
    tmux.until("locard> cafe\u{301}s");
    assert_eq!(tmux.column(), 8 + 2);
    tmux.keys(&["C-e"]);
    tmux.keys(&["C-u"]);
    // There is at most one live line; it is short, and gone once the answer is shown.
    tmux.keys(&["-l", "/he"]);
    tmux.keys(&["Tab"]);
    tmux.until("locard> /help");
    tmux.keys(&["C-u"]);
    tmux.keys(&["-l", "Was the Security log cleared?"]);
    tmux.until("locard> Was the Security log cleared?");
    tmux.keys(&["Enter"]);
    let screens = tmux.until("locard>");
    let is_live = |line: &&String| line.starts_with("looking") || line.starts_with("recording");
    for screen in &screens {
        assert!(screen.iter().filter(is_live).all(|line| line.chars().count() <= 54), "{screen:#?}");
        assert!(screen.iter().filter(is_live).count() <= 1, "{screen:#?}");
    }
    let last = screens.last().unwrap();
    assert!(last.iter().any(|line| line == "yes") && !last.iter().any(|line| is_live(&line)), "{last:#?}");
    tmux.keys(&["Up"]);
    tmux.until("locard> Was the Security log cleared?");
    tmux.keys(&["C-c"]);
    tmux.until("locard>");
    tmux.keys(&["C-c"]);
    let whole = loop {
        if let Some(whole) = tmux.whole_when_ended() {
            break whole;
        }
    };
    assert!(whole.contains("sealed "), "{whole}");
    let history = place.path("state/locard/console");
    assert_eq!(history.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert!(std::fs::read_to_string(history).unwrap().contains("Was the Security log cleared?"));
}

#[test]
fn a_terminal_that_is_resized_keeps_the_typed_line_and_the_view_of_a_model_whole() {
    let place = Place::new();
    let server = ApiServer::start(Speaks::OpenAi, "m", |number, body| {
        // Long enough to be seen at work.
        std::thread::sleep(std::time::Duration::from_millis(if number < 2 { 700 } else { 0 }));
        Play::Say(answered_by_models::says(body))
    });
    let server = server.unwrap();
    let place_of = |name: &str| str(&place.path(name)).to_owned();
    let command = format!(
        "timeout --foreground {PATIENCE} env -u TMUX LOCARD_NO_HEAD_LOG=1 LOCARD_NO_MEMORY=1 OPENAI_API_KEY={KEY} XDG_STATE_HOME='{}' TMPDIR='{}' '{}' console '{}' --runs '{}' --no-cache --integrity stat --model openai:m@{}",
        place_of("state"),
        place_of("."),
        str(&program()),
        str(&demo_folder()),
        place_of("runs"),
        server.base(),
    );
    let Some(tmux) = Tmux::begin(&place, &command) else {
        println!("there is no tmux here: nothing was tested");
        return;
    };
    tmux.until("locard>");
    tmux.keys(&["-l", "谁登录了 and when did they log on to ALDER-07"]);
    tmux.until("locard> 谁登录了 and when did they log on to ALDER-07");
    tmux.resize(40, 12);
    tmux.keys(&["-l", "?"]);
    // The prompt and the beginning of the text fill the first line.
    tmux.until("n to ALDER-07?");
    tmux.resize(80, 24);
    tmux.keys(&["C-u"]);
    tmux.until("locard>");
    tmux.keys(&["-l", answered_by_models::QUESTION]);
    tmux.until(&format!("locard> {}", answered_by_models::QUESTION));
    tmux.keys(&["Enter"]);
    let is_live = |line: &String| line.contains("asker") && line.contains(" turn ");
    for (columns, lines) in [(40, 12), (100, 30), (62, 9), (80, 24)] {
        tmux.resize(columns, lines);
        std::thread::sleep(std::time::Duration::from_millis(250));
    }
    let screens = tmux.until("locard>");
    for screen in &screens {
        assert!(
            screen.iter().filter(|line| is_live(line)).all(|line| line.chars().count() <= 54),
            "{screen:#?}"
        );
        assert!(screen.iter().filter(|line| is_live(line)).count() <= 1, "{screen:#?}");
    }
    let last = screens.last().unwrap();
    assert!(last.iter().any(|line| line.contains("ALDER-07")) && !last.iter().any(is_live), "{last:#?}");
    tmux.keys(&["C-d"]);
    let whole = loop {
        if let Some(whole) = tmux.whole_when_ended() {
            break whole;
        }
    };
    assert!(whole.contains("sealed "), "{whole}");
    let log = std::fs::read_to_string(place.path("state/locard/console.log")).unwrap();
    assert!(log.contains("console") && !log.contains("ALDER-07"), "{log}");
}
