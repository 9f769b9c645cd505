export const root: string
export const unused: string[]
export function install(wanted: 'production' | 'all'): void
export function runNpm(args: string[], options?: { cwd?: string }): void
