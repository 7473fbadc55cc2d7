//! Both servers side by side: many connections times many messages, as a table and as a figure.

use crate::failure::Failure;
use crate::flags::Flags;
use crate::load::{Load, Loaded, run};
use crate::progress::{Progress, Unit};
use crate::report::say;
use crate::serve::{Place, Recoding, raise_descriptors};
use plotters::prelude::*;
use rustix::process::{Pid, Signal, kill_process};
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

const CONNECTIONS: [usize; 4] = [10, 100, 1_000, 10_000];
const MESSAGES: [u64; 4] = [10, 100, 1_000, 10_000];

/// The two servers: name, and the flag that makes it.
const SERVERS: [(&str, Option<&str>); 2] = [("event loop", None), ("threads", Some("-serve-threads"))];

struct Cell {
    connections: usize,
    messages: u64,
    servers: [Option<Served>; 2],
}

struct Served {
    loaded: Loaded,
    usage: Usage,
}

/// What the server took.
#[derive(Clone, Copy, Default)]
struct Usage {
    user: f64,
    system: f64,
    peak_kib: u64,
}

/// Runs all cells, prints the table, draws the figure.
pub fn grid(flags: &Flags) -> Result<ExitCode, Failure> {
    raise_descriptors();
    let mut out = io::stdout();
    let head = format!(
        "{:>6} {:>6}  {:10} {:>9} {:>9} {:>8} {:>8} {:>8} {:>9} {:>9} {:>9}\n",
        "conns", "msgs", "server", "msgs/s", "answers", "real s", "user s", "system s", "median ms", "99% ms", "peak MiB"
    );
    out.write_all(head.as_bytes()).map_err(Failure::Output)?;
    let wanted = |messages: u64| {
        let counts = CONNECTIONS.into_iter().filter(|count| *count <= flags.conns_at_most);
        counts.map(move |connections| (connections, messages))
    };
    let wanted: Vec<_> = MESSAGES.into_iter().filter(|count| *count <= flags.msgs_at_most).flat_map(wanted).collect();
    let runs = wanted.len() as u64 * flags.rounds as u64 * SERVERS.len() as u64;
    let mut progress = Progress::start(Unit::Rounds, Some(runs), false);
    let mut cells = Vec::new();
    let (mut capped, mut faults) = (false, 0);
    for (connections, messages) in wanted {
        let load = Load { connections, messages, window: flags.window, time: Duration::from_secs(flags.seconds) / flags.rounds };
        let mut rounds = [const { Vec::new() }; 2];
        for number in 0..flags.rounds {
            // Who is first may have an advantage: they take turns.
            for index in if number % 2 == 0 { [0, 1] } else { [1, 0] } {
                let (name, flag) = SERVERS[index];
                match served(flags, flag, load) {
                    Ok(served) => {
                        capped |= served.loaded.capped;
                        faults += served.loaded.faults;
                        rounds[index].push(served);
                    }
                    Err(error) => {
                        faults += 1;
                        progress.aside(|| say(&format!("setrip: {connections} connections, {name}: {error}\n")));
                    }
                }
                progress.advance(1);
            }
        }
        let cell = Cell { connections, messages, servers: rounds.map(median) };
        let rows =
            SERVERS.iter().zip(&cell.servers).filter_map(|((name, _), served)| Some(row(connections, messages, name, served.as_ref()?)));
        let rows: String = rows.collect();
        progress.aside(|| out.write_all(rows.as_bytes())).map_err(Failure::Output)?;
        cells.push(cell);
    }
    progress.clear();
    if capped {
        let note = format!("*: not all messages were sent: the {} rounds of a server have {} s in a cell\n", flags.rounds, flags.seconds);
        out.write_all(note.as_bytes()).map_err(Failure::Output)?;
    }
    if let Some(path) = &flags.figure {
        draw(&cells, path).map_err(|error| Failure::Network(io::Error::other(error.to_string())))?;
    }
    Ok(ExitCode::from(u8::from(faults > 0)))
}

/// The round in the middle, by answers a second; one with faults before all others, since it has to be seen.
fn median(mut rounds: Vec<Served>) -> Option<Served> {
    rounds.sort_by(|one, other| one.loaded.rate().total_cmp(&other.loaded.rate()));
    let place = rounds.iter().position(|served| served.loaded.faults > 0).unwrap_or(rounds.len() / 2);
    (place < rounds.len()).then(|| rounds.swap_remove(place))
}

fn row(connections: usize, messages: u64, name: &str, served: &Served) -> String {
    let Served { loaded, usage } = served;
    let mut row = format!(
        "{connections:>6} {messages:>6}  {name:10} {:>9.0} {:>9} {:>8.3} {:>8.2} {:>8.2} {:>9.3} {:>9.3} {:>9.1}{}",
        loaded.rate(),
        loaded.answered,
        loaded.elapsed.as_secs_f64(),
        usage.user,
        usage.system,
        loaded.time(500).as_secs_f64() * 1e3,
        loaded.time(990).as_secs_f64() * 1e3,
        usage.peak_kib as f64 / 1024.0,
        if loaded.capped { "*" } else { "" },
    );
    if loaded.faults > 0 {
        row += &format!("  {} faults: {}", loaded.faults, loaded.why.as_deref().unwrap_or_default());
    }
    row + "\n"
}

/// A server in a process of its own, under load.
fn served(flags: &Flags, flag: Option<&str>, load: Load) -> io::Result<Served> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["-serve", "127.0.0.1:0", "-from", flags.from().name(), "-to", flags.to().name()]).args(flag);
    let mut server = Server(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?);
    let mut address = String::new();
    let stdout = server.0.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
    BufReader::new(stdout).read_line(&mut address)?;
    let loaded = run(&Place::of(address.trim()), &Recoding::of(flags), load, |_| {})?;
    let usage = Usage::of(server.0.id());
    server.stop();
    Ok(Served { loaded, usage })
}

/// Ends with its owner.
struct Server(Child);

impl Server {
    fn stop(&mut self) {
        let Some(pid) = i32::try_from(self.0.id()).ok().and_then(Pid::from_raw) else { return };
        let _ = kill_process(pid, Signal::TERM);
        let started = Instant::now();
        while started.elapsed() < Duration::from_secs(2) {
            if !matches!(self.0.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if matches!(self.0.try_wait(), Ok(None)) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }
}

impl Usage {
    /// Of a process that still runs, as Linux tells it; nothing elsewhere.
    fn of(pid: u32) -> Usage {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let peak =
            status.lines().find_map(|line| line.strip_prefix("VmHWM:")).and_then(|rest| rest.trim().trim_end_matches(" kB").parse().ok());
        // The name in parentheses may hold anything; what follows it are fields 3 and on. 14 and 15 are times, in hundredths of a second.
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let seconds = |index: usize| fields.get(index).and_then(|field| field.parse().ok()).map_or(0.0, |ticks: f64| ticks / 100.0);
        Usage { user: seconds(11), system: seconds(12), peak_kib: peak.unwrap_or(0) }
    }
}

/// Messages a second over the number of connections; of each number of connections the longest run.
fn draw(cells: &[Cell], path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let points = |server: usize| {
        let mut points: Vec<(f64, f64)> = Vec::new();
        for connections in CONNECTIONS {
            let longest = cells.iter().filter(|cell| cell.connections == connections).max_by_key(|cell| cell.messages);
            if let Some(served) = longest.and_then(|cell| cell.servers[server].as_ref()) {
                points.push((connections as f64, served.loaded.rate()));
            }
        }
        points
    };
    let lines = [points(0), points(1)];
    let most = lines.iter().flatten().map(|(_, rate)| *rate).fold(1.0, f64::max);
    let root = SVGBackend::new(path, (760, 440)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption("Answers a second", ("sans-serif", 20))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(80)
        .build_cartesian_2d((10.0..10_000.0).log_scale(), 0.0..most * 1.1)?;
    chart.configure_mesh().x_desc("connections").y_desc("answers a second").draw()?;
    for ((points, (name, _)), colour) in lines.into_iter().zip(SERVERS).zip([BLUE, RED]) {
        chart
            .draw_series(LineSeries::new(points, colour.stroke_width(2)))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], colour));
    }
    chart.configure_series_labels().border_style(BLACK).background_style(WHITE).draw()?;
    root.present()?;
    Ok(())
}
