import { createRequire } from 'node:module'
import { once } from '#core/once.ts'

const require = createRequire(import.meta.url)

/** Loaded with the first token: callers with API keys alone never need its fifty modules. */
export const jose = once((): typeof import('jose') => require('jose'))
