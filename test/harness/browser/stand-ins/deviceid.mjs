// Stands in for @vscode/deviceid (native): telemetry is off, so one fixed id will do.
export const getDeviceId = async () => '00000000-0000-4000-8000-000000000000';
