//! The system itself: its starts and stops, its clock, its logs.

use super::writers::{
    BOOT, BUGCHECK, EVENTLOG, KERNEL, OLD_EVENTLOG, PERFORMANCE, POWER, SECURITY, SHUTDOWN, WAKING,
};
use super::{BY, Map, Rule, rule};

const ASKED: Map = &[("param1", "image"), ("param3", "reason"), ("param7", "user")];
const SLEPT: Map = &[("SleepTime", "slept"), ("WakeTime", "woke"), ("WakeSourceText", "reason")];

#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    rule(&KERNEL, &[1], "time_changed", "", &[&[("OldTime", "old_time"), ("NewTime", "new_time"), ("Reason", "reason"), ("ProcessName", "image"), ("ProcessID", "pid")]]),
    rule(&SECURITY, &[4616], "time_changed", "", &[&[
        ("PreviousTime", "old_time"), ("NewTime", "new_time"), ("ProcessName", "image"), ("ProcessId", "pid"),
    ], BY]),
    rule(&KERNEL, &[12], "system_state", "system started", &[&[("StartTime", "started")]]),
    rule(&KERNEL, &[13], "system_state", "system stopped", &[&[("StopTime", "stopped")]]),
    rule(&POWER, &[41], "system_state", "had stopped without a shutdown", &[&[("BugcheckCode", "bugcheck")]]),
    rule(&POWER, &[109], "system_state", "shutdown begun by the kernel", &[&[("ShutdownReason", "reason")]]),
    rule(&POWER, &[42], "system_state", "sleep begun", &[]),
    rule(&POWER, &[107], "system_state", "resumed from sleep", &[]),
    rule(&POWER, &[187], "system_state", "sleep asked for by a program", &[]),
    rule(&POWER, &[506], "system_state", "modern standby begun", &[]),
    rule(&POWER, &[507], "system_state", "modern standby ended", &[]),
    rule(&WAKING, &[1], "system_state", "was asleep", &[SLEPT]),
    rule(&BOOT, &[20], "system_state", "last shutdown and start judged", &[&[("LastShutdownGood", "last_shutdown_good"), ("LastBootGood", "last_start_good")]]),
    rule(&BOOT, &[27], "system_state", "kind of start", &[&[("BootType", "boot_type"), ("LoadOptions", "load_options")]]),
    rule(&BUGCHECK, &[1001], "system_state", "restarted from a failure", &[&[("param1", "failure"), ("param2", "dump"), ("param3", "report")]]),
    rule(&SHUTDOWN, &[1074], "system_state", "shutdown or restart asked for", &[ASKED]),
    rule(&SHUTDOWN, &[1076], "system_state", "reason of an unexpected shutdown given", &[&[("param1", "reason"), ("param5", "comment"), ("param6", "user")]]),
    rule(&OLD_EVENTLOG, &[6005], "system_state", "event log started", &[]),
    rule(&OLD_EVENTLOG, &[6006], "system_state", "event log stopped", &[]),
    rule(&OLD_EVENTLOG, &[6008], "system_state", "former shutdown was unexpected", &[]),
    rule(&OLD_EVENTLOG, &[6009], "system_state", "version at start", &[&[("data0", "version"), ("data1", "build")]]),
    rule(&OLD_EVENTLOG, &[6011], "system_state", "computer renamed", &[&[("data0", "old_host"), ("data1", "new_host")]]),
    rule(&EVENTLOG, &[1100], "system_state", "event log stopped", &[]),
    rule(&EVENTLOG, &[1101], "system_state", "events were lost", &[]),
    rule(&EVENTLOG, &[1104], "system_state", "security log full", &[]),
    rule(&EVENTLOG, &[1105], "system_state", "log archived", &[&[("Channel", "archived"), ("BackupPath", "archive")]]),
    rule(&EVENTLOG, &[1108], "system_state", "event not written", &[&[("PublisherID", "of_provider"), ("ErrorCode", "error")]]),
    rule(&SECURITY, &[4608], "system_state", "auditing started", &[]),
    rule(&SECURITY, &[4609], "system_state", "auditing stopped", &[]),
    rule(&SECURITY, &[4612], "system_state", "events were lost", &[]),
    rule(&SECURITY, &[4621], "system_state", "recovered from CrashOnAuditFail", &[]),
    rule(&PERFORMANCE, &[100], "system_state", "start measured", &[&[("BootStartTime", "started")]]),
    rule(&PERFORMANCE, &[200], "system_state", "shutdown measured", &[&[("ShutdownStartTime", "shutdown_begun"), ("ShutdownEndTime", "shutdown_ended")]]),
];
