//! Software installed, updated, removed, crashed; system databases; and transfers of the background service.

use super::writers::{APPX, BITS, CRASH, DOTNET, ESENT, HANG, MSI, ROOTS, UPDATES, WER};
use super::{Map, Rule, rule};

const TRANSFER: Map = &[
    ("url", "url"),
    ("name", "job"),
    ("bytesTransferred", "bytes"),
    ("bytesTotal", "total"),
    ("hr", "status"),
    ("fileTime", "file_time"),
];
const JOB: Map = &[
    ("jobTitle", "job"),
    ("jobOwner", "owner"),
    ("User", "user"),
    ("fileCount", "files"),
    ("bytesTransferred", "bytes"),
    ("jobId", "job_id"),
];
/// Name, version, language, result and vendor of a product, in the order of the installer's messages.
const PRODUCT: Map = &[
    ("data0", "product"),
    ("data1", "version"),
    ("data2", "language"),
    ("data3", "status"),
    ("data4", "manufacturer"),
    ("@user", "sid"),
];
const MESSAGE: Map = &[("data0", "product"), ("data0", "message"), ("@user", "sid")];
const PATCHED: Map = &[("data0", "product"), ("data1", "patch"), ("@user", "sid")];
const TRANSACTION: Map = &[("data0", "product"), ("data0", "package"), ("data1", "pid"), ("@user", "sid")];
const UPDATE: Map = &[
    ("updateTitle", "product"),
    ("updateGuid", "update_id"),
    ("updateRevisionNumber", "revision"),
    ("errorCode", "status"),
];
const PACKAGE: Map = &[
    ("PackageFullName", "product"),
    ("PackageMoniker", "product"),
    ("Path", "path"),
    ("DeploymentOperation", "operation"),
    ("SummaryError", "message"),
    ("ErrorCode", "status"),
    ("CallingProcess", "caller"),
    ("@user", "sid"),
];
const CRASHED: Map = &[
    ("data0", "program"),
    ("data1", "version"),
    ("data3", "module"),
    ("data4", "module_version"),
    ("data6", "exception"),
    ("data7", "offset"),
    ("data8", "process"),
    ("data10", "path"),
    ("data11", "module_path"),
    ("data12", "report"),
    ("AppName", "program"),
    ("AppVersion", "version"),
    ("ModuleName", "module"),
    ("ModuleVersion", "module_version"),
    ("ExceptionCode", "exception"),
    ("FaultingOffset", "offset"),
    ("ProcessId", "process"),
    ("AppPath", "path"),
    ("ModulePath", "module_path"),
    ("IntegratorReportId", "report"),
];
const HUNG: Map = &[
    ("data0", "program"),
    ("data1", "version"),
    ("data2", "process"),
    ("data5", "path"),
    ("data6", "report"),
];
/// In an error report: the kind of event and the values that identify it; for a crash the program, its version and so on.
const REPORTED: Map = &[
    ("data0", "bucket"),
    ("data2", "program"),
    ("data2", "report_kind"),
    ("data5", "problem"),
    ("EventName", "program"),
    ("EventName", "report_kind"),
    ("P1", "problem"),
];
const DATABASE: Map = &[("data4", "path"), ("data0", "process")];
const MOVED: Map = &[("data3", "path"), ("data4", "source_path"), ("data0", "process")];
const ROOT: Map = &[("data0", "certificate"), ("data1", "thumbprint")];

#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    rule(&BITS, &[59], "bits_transfer", "started", &[TRANSFER]),
    rule(&BITS, &[60], "bits_transfer", "stopped", &[TRANSFER]),
    rule(&BITS, &[61], "bits_transfer", "failed", &[TRANSFER]),
    rule(&BITS, &[16403], "bits_transfer", "file added to a job", &[JOB, &[("RemoteName", "url"), ("LocalName", "path"), ("processId", "pid")]]),
    rule(&BITS, &[3], "bits_job", "created", &[JOB, &[("processPath", "image"), ("processId", "pid")]]),
    rule(&BITS, &[4], "bits_job", "completed", &[JOB]),
    rule(&BITS, &[5], "bits_job", "cancelled", &[JOB]),
    rule(&MSI, &[1033], "software_changed", "installation ended", &[PRODUCT]),
    rule(&MSI, &[1034], "software_changed", "removal ended", &[PRODUCT]),
    rule(&MSI, &[1035], "software_changed", "reconfiguration ended", &[PRODUCT]),
    rule(&MSI, &[1036], "software_changed", "update ended", &[&[("data0", "product"), ("data1", "version"), ("data2", "language"), ("data3", "patch"), ("data4", "status"), ("data5", "manufacturer"), ("@user", "sid")]]),
    rule(&MSI, &[1022], "software_changed", "update installed", &[PATCHED]),
    rule(&MSI, &[11707], "software_changed", "installed", &[MESSAGE]),
    rule(&MSI, &[11708], "software_changed", "installation failed", &[MESSAGE]),
    rule(&MSI, &[11724], "software_changed", "removed", &[MESSAGE]),
    rule(&MSI, &[11725], "software_changed", "removal failed", &[MESSAGE]),
    rule(&MSI, &[11728], "software_changed", "configured", &[MESSAGE]),
    rule(&MSI, &[11729], "software_changed", "configuration failed", &[MESSAGE]),
    rule(&MSI, &[1040], "software_changed", "transaction begun", &[TRANSACTION]),
    rule(&MSI, &[1042], "software_changed", "transaction ended", &[TRANSACTION]),
    rule(&UPDATES, &[19], "software_changed", "update installed", &[UPDATE]),
    rule(&UPDATES, &[20], "software_changed", "update installation failed", &[UPDATE]),
    rule(&UPDATES, &[43], "software_changed", "update installation started", &[UPDATE]),
    rule(&UPDATES, &[44], "software_changed", "update download started", &[UPDATE]),
    rule(&UPDATES, &[41], "software_changed", "update downloaded", &[UPDATE]),
    rule(&UPDATES, &[31], "software_changed", "update download failed", &[UPDATE]),
    rule(&APPX, &[400], "software_changed", "package deployed", &[PACKAGE]),
    rule(&APPX, &[401, 404], "software_changed", "package deployment failed", &[PACKAGE]),
    rule(&CRASH, &[1000], "app_crash", "crashed", &[CRASHED]),
    rule(&HANG, &[1002], "app_crash", "hung", &[HUNG]),
    rule(&WER, &[1001], "app_crash", "reported", &[REPORTED]),
    rule(&DOTNET, &[1026], "app_crash", "ended by an exception", &[&[("data0", "program"), ("data0", "problem")]]),
    rule(&ESENT, &[325], "database_use", "created", &[DATABASE]),
    rule(&ESENT, &[326], "database_use", "attached", &[DATABASE]),
    rule(&ESENT, &[327], "database_use", "detached", &[DATABASE]),
    rule(&ESENT, &[216], "database_use", "met at another place", &[MOVED]),
    rule(&ROOTS, &[4097], "root_certificate", "added", &[ROOT]),
    rule(&ROOTS, &[4108], "root_certificate", "deleted", &[ROOT]),
    rule(&ROOTS, &[4109], "root_certificate", "properties updated", &[ROOT]),
];
