//! Text logs of Windows.

/// A PowerShell transcript with an invocation header.
pub const TRANSCRIPT: &str = "**********************\r\n\
Windows PowerShell transcript start\r\n\
Start time: 20120404015840\r\n\
Username: WKS-1\\ann\r\n\
RunAs User: WKS-1\\ann\r\n\
Configuration Name: \r\n\
Machine: WKS-1 (Microsoft Windows NT 10.0.19044.0)\r\n\
Host Application: C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe\r\n\
Process ID: 4711\r\n\
PSVersion: 5.1.19041.1682\r\n\
**********************\r\n\
**********************\r\n\
Command start time: 20120404015900\r\n\
**********************\r\n\
PS C:\\Users\\ann> whoami /all\r\n\
wks-1\\ann\r\n\
**********************\r\n\
Windows PowerShell transcript end\r\n\
End time: 20120404020000\r\n\
**********************\r\n";

/// A PSReadLine history.
pub const HISTORY: &str = "whoami /all\nGet-Item `\n  C:\\Tools\nGet-Process\n";

/// A SetupAPI log with two sections; the second one does not end.
pub const SETUP: &str = "[Device Install Log]\r\n     OS Version = 10.0.19043\r\n\r\n[BeginLog]\r\n\r\n\
>>>  [Device Install (Hardware initiated) - USBSTOR\\Disk&Ven_Acme&Prod_Stick\\0123&0]\r\n\
>>>  Section start 2012/04/04 01:58:40.839\r\n\
     dvi: Searching for hardware ID(s):\r\n\
<<<  Section end 2012/04/04 01:58:41.000\r\n\
<<<  [Exit status: SUCCESS]\r\n\r\n\
>>>  [SetupCopyOEMInf - C:\\Tools\\driver.inf]\r\n\
>>>  Section start 2012/04/04 02:00:00.000\r\n\
      cmd: \"C:\\Tools\\setup.exe\" /quiet\r\n";

/// A Windows Error Reporting report; files contain it as UTF-16LE.
pub const REPORT: &str = "Version=1\r\nEventType=APPCRASH\r\nEventTime=129779783208392490\r\n\
Sig[0].Name=Application Name\r\nSig[0].Value=sync.exe\r\n\
LoadedModule[0]=C:\\Windows\\SYSTEM32\\ntdll.dll\r\n\
FriendlyEventName=Stopped working\r\nAppName=Sync\r\nAppPath=C:\\Tools\\sync.exe\r\n";

/// A Windows Defender log; files contain it as UTF-16LE.
pub const DEFENDER: &str = "2012-04-04T01:50:00.000Z Service started\r\n\
2012-04-04T01:58:40.839Z DETECTIONEVENT MPSOURCE_REALTIME HackTool:Win32/Example file:C:\\Tools\\sync.exe;\r\n\
2012-04-04T01:58:41.000Z ProcessImageName: sync.exe, Pid: 4711, TotalTime: 62, Count: 12, MaxTime: 31, MaxTimeFile: \\Device\\HarddiskVolume2\\Tools\\a.dll, EstimatedImpact: 3%\r\n\
2012-04-04T01:58:42.000Z SDN:Issuing SDN query for C:\\Tools\\sync.exe (C:\\Tools\\sync.exe) (sha1=da39a3ee5e6b4b0d3255bfef95601890afd80709, sha2=e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855)\r\n\
2012-04-04T01:58:43.000Z [Mini-filter] Blocked file(#1): \\Device\\HarddiskVolume2\\Tools\\sync.exe. Process: \\Device\\HarddiskVolume2\\Windows\\explorer.exe, Status: 0xc0000906, State: 0\r\n";

/// A log of the Windows firewall.
pub const FIREWALL: &str = "#Version: 1.5\r\n#Software: Microsoft Windows Firewall\r\n#Time Format: Local\r\n\
#Fields: date time action protocol src-ip dst-ip src-port dst-port size tcpflags tcpsyn tcpack tcpwin icmptype icmpcode info path\r\n\r\n\
2012-04-04 01:58:40 DROP TCP 192.0.2.7 192.0.2.1 50123 445 52 S 1 0 8192 - - - RECEIVE\r\n\
2012-04-04 01:58:41 ALLOW UDP 192.0.2.1 192.0.2.53 50124 53 0 - - - - - - - SEND\r\n";

/// A log of the IIS web server.
pub const WEB: &str = "#Software: Microsoft Internet Information Services 10.0\r\n#Version: 1.0\r\n#Date: 2012-04-04 01:58:40\r\n\
#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) sc-status sc-substatus sc-win32-status time-taken\r\n\
2012-04-04 01:58:40 192.0.2.1 POST /upload.aspx id=1 443 - 192.0.2.7 Mozilla/5.0+(X11) - 200 0 0 15\r\n";

/// The program list of the Program Compatibility Assistant, as in `PcaAppLaunchDic.txt`.
pub const PCA_LAUNCHES: &str = "C:\\Program Files\\Editor\\editor.exe|2025-09-16 08:12:05.120\r\n\
    C:\\Users\\ann\\Downloads\\invoice.pdf.exe|2025-09-16 09:44:12.003\r\n";

/// Its log, as in `PcaGeneralDb0.txt` except for the encoding.
pub const PCA_LOG: &str = "2025-09-16 09:44:30.551|2|%userprofile%\\downloads\\invoice.pdf.exe|Invoice viewer|Example Ltd|1.0.0.0|00061f0b2c6a4e3f0a9e1d7c5b8a99f20f0d00000000|Abnormal process exit with code 0xc0000005\r\n\
    2025-09-16 10:02:00.000|0|%programfiles%\\setup.exe||||0006000000000000000000000000000000000000000|Installer failed\r\n";

/// A KAPE copy log: one original with all its times, and one with a comma in its name and no times.
pub const COPY_LOG: &str = "\u{FEFF}CopiedTimestamp,SourceFile,DestinationFile,FileSize,SourceFileSha1,DeferredCopy,CreatedOnUtc,ModifiedOnUtc,LastAccessedOnUtc,CopyDuration\r\n\
2012-04-04 01:58:42.8392490,C:\\Users\\ann\\NTUSER.DAT,E:\\tout\\C\\Users\\ann\\NTUSER.DAT,262144,DA39A3EE5E6B4B0D3255BFEF95601890AFD80709,True,2011-12-07 09:03:44.5688762,2012-04-04 01:58:40.8392490,2012-04-04 01:58:40.8392490,00:00:00.0156106\r\n\
2012-04-04 01:58:43.8392490,\"C:\\Users\\ann\\plan, new.txt\",\"E:\\tout\\C\\Users\\ann\\plan, new.txt\",0,DA39A3EE5E6B4B0D3255BFEF95601890AFD80709,False,,,,00:00:00\r\n";

/// A KAPE skip log.
pub const SKIP_LOG: &str = "\u{FEFF}SourceFile,SourceFileSha1,Reason\r\n\
C:\\Users\\bob\\NTUSER.DAT.LOG2,DA39A3EE5E6B4B0D3255BFEF95601890AFD80709,Deduped\r\n";
