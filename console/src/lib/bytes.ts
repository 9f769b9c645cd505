const names = ['B', 'KiB', 'MiB', 'GiB']

export function formatBytes(bytes: number): string {
  const step = Math.min(names.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  const value = bytes / 1024 ** step
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${names[step]}`
}
