//! Devices, volumes and printers.

use super::writers::{DRIVERS, NTFS, PARTITION, PNP, PRINTING, SECURITY, SERVICES, USER_PNP, VIRTUAL_DISKS};
use super::{BY, Map, Rule, rule};

const PNP_DEVICE: Map = &[
    ("DeviceInstanceId", "device"),
    ("DriverName", "driver"),
    ("Status", "+status"),
    ("ParentDeviceInstanceId", "+parent"),
];
const REMOVED: Map = &[
    ("DeviceInstanceId", "device"),
    ("DeviceInstance", "device"),
    ("LastDeviceInstanceId", "before"),
    ("DriverName", "driver"),
    ("ServiceName", "service"),
    ("ProcessName", "image"),
    ("ProcessId", "pid"),
    ("Status", "status"),
];
const HOSTED: Map = &[("InstanceId", "device"), ("UMDFHostDeviceArrivalBegin.InstanceId", "device")];
const REQUEST: Map = &[
    ("InstanceId", "device"),
    ("UMDFHostDeviceRequest.InstanceId", "device"),
    ("Status", "status"),
    ("UMDFHostDeviceRequest.Status", "status"),
];
const INSTALLED: Map = &[
    ("DeviceInstanceID", "device"),
    ("DriverName", "driver"),
    ("DriverDescription", "model"),
    ("DriverProvider", "manufacturer"),
    ("InstallStatus", "status"),
    ("ServiceName", "service"),
    ("DriverFileName", "driver"),
    ("AddServiceStatus", "status"),
];
const AUDITED: Map = &[
    ("DeviceId", "device"),
    ("DeviceDescription", "model"),
    ("ClassName", "class"),
    ("VendorIds", "hardware_ids"),
    ("HardwareIds", "hardware_ids"),
    ("LocationInformation", "location"),
];
const VOLUME: Map = &[
    ("VolumeName", "volume"),
    ("DriveName", "volume"),
    ("DeviceName", "disk"),
    ("VolumeGuid", "volume_id"),
    ("VolumeCorrelationId", "volume_id"),
    ("DeviceGuid", "disk_id"),
    ("VendorId", "manufacturer"),
    ("ProductId", "model"),
    ("DeviceSerialNumber", "serial"),
];
const VHD: Map =
    &[("VhdFileName", "path"), ("VhdFile", "path"), ("VhdDiskNumber", "disk_number"), ("Status", "status")];
const PRINTED: Map = &[
    ("Param1", "job"),
    ("Param2", "document"),
    ("Param3", "user"),
    ("Param4", "client"),
    ("Param5", "printer"),
    ("Param6", "printer_port"),
    ("Param7", "bytes"),
    ("Param8", "pages"),
];

#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    rule(&PARTITION, &[1006], "device_connected", "disk met or taken out", &[&[
        ("ParentId", "device"), ("Manufacturer", "manufacturer"), ("Model", "model"), ("SerialNumber", "serial"), ("Capacity", "capacity"),
    ]]),
    rule(&PNP, &[400], "device_connected", "configured", &[PNP_DEVICE]),
    rule(&PNP, &[410], "device_connected", "started", &[PNP_DEVICE]),
    rule(&PNP, &[411], "device_connected", "had a problem starting", &[REMOVED]),
    rule(&PNP, &[420], "device_connected", "deleted", &[REMOVED]),
    rule(&PNP, &[430], "device_connected", "needs further installation", &[REMOVED]),
    rule(&PNP, &[440], "device_connected", "settings migrated", &[REMOVED]),
    rule(&PNP, &[442], "device_connected", "settings not migrated", &[REMOVED]),
    rule(&PNP, &[225], "device_connected", "removal stopped by a program", &[REMOVED]),
    rule(&PNP, &[219], "driver_failed", "driver not loaded", &[&[("DriverName", "drivers"), ("FailureName", "service"), ("Status", "status")]]),
    rule(&SERVICES, &[7026], "driver_failed", "not loaded at the start of the system", &[&[("param1", "drivers")]]),
    rule(&DRIVERS, &[2003], "device_connected", "driver asked for", &[HOSTED]),
    rule(&DRIVERS, &[2010], "device_connected", "driver loaded", &[&[("InstanceId", "device"), ("UMDFHostDeviceArrivalEnd.InstanceId", "device")]]),
    rule(&DRIVERS, &[2100, 2101, 2102, 2105, 2106], "device_connected", "power or removal request", &[REQUEST]),
    rule(&USER_PNP, &[20001], "device_connected", "driver installed", &[INSTALLED]),
    rule(&USER_PNP, &[20003], "device_connected", "service added", &[INSTALLED]),
    rule(&SECURITY, &[6416], "device_connected", "recognised", &[AUDITED, BY]),
    rule(&SECURITY, &[6419], "device_connected", "disabling asked for", &[AUDITED, BY]),
    rule(&SECURITY, &[6420], "device_connected", "disabled", &[AUDITED, BY]),
    rule(&SECURITY, &[6421], "device_connected", "enabling asked for", &[AUDITED, BY]),
    rule(&SECURITY, &[6422], "device_connected", "enabled", &[AUDITED, BY]),
    rule(&SECURITY, &[6423], "device_connected", "installation forbidden by policy", &[AUDITED, BY]),
    rule(&SECURITY, &[6424], "device_connected", "installation allowed after it was forbidden", &[AUDITED, BY]),
    rule(&NTFS, &[98], "volume_state", "health told", &[VOLUME]),
    rule(&NTFS, &[142, 145, 146, 151, 158], "volume_state", "use summed up", &[VOLUME]),
    rule(&VIRTUAL_DISKS, &[1], "virtual_disk", "came online", &[VHD]),
    rule(&VIRTUAL_DISKS, &[2], "virtual_disk", "taken offline", &[VHD]),
    rule(&VIRTUAL_DISKS, &[12], "virtual_disk", "handle opened", &[VHD]),
    rule(&PRINTING, &[307], "print_job", "printed", &[PRINTED]),
    rule(&PRINTING, &[310], "print_job", "deleted", &[&[("Param1", "job"), ("Param2", "document"), ("Param3", "user"), ("Param4", "printer")]]),
    rule(&PRINTING, &[300], "printer_changed", "printer created", &[&[("Param1", "printer")]]),
    rule(&PRINTING, &[301], "printer_changed", "printer deleted", &[&[("Param1", "printer")]]),
    rule(&PRINTING, &[302], "printer_changed", "printer being deleted", &[&[("Param1", "printer")]]),
    rule(&PRINTING, &[306], "printer_changed", "printer set", &[&[("Param1", "printer")]]),
    rule(&PRINTING, &[316], "printer_changed", "driver added or updated", &[&[("Param1", "printer"), ("Param2", "environment"), ("Param3", "version"), ("Param4", "files")]]),
    rule(&PRINTING, &[317], "printer_changed", "driver deleted", &[&[("Param1", "printer")]]),
    rule(&PRINTING, &[354], "printer_changed", "driver failed to start", &[&[("Param1", "printer"), ("Param2", "files"), ("Param3", "message")]]),
    rule(&PRINTING, &[808], "printer_changed", "plug-in not loaded", &[&[("PluginDllName", "printer"), ("PluginDllName", "files"), ("ErrorCode", "error")]]),
    rule(&PRINTING, &[811], "printer_changed", "file not moved", &[&[("Source", "printer"), ("Source", "files"), ("Destination", "destination"), ("ErrorCode", "error")]]),
    rule(&PRINTING, &[823], "printer_changed", "default printer changed", &[&[("NewDefaultPrinter", "printer"), ("OldDefaultPrinter", "before"), ("Module", "files")]]),
    rule(&PRINTING, &[848], "printer_changed", "printer shared", &[&[("PrinterName", "printer"), ("ShareName", "share")]]),
    rule(&PRINTING, &[849], "printer_changed", "printer no longer shared", &[&[("PrinterName", "printer"), ("ShareName", "share")]]),
];
