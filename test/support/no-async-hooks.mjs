// The runner of Node follows every promise to the test that made it, which takes 15 times the time
// of the promise. All it gains is the name of the test in whose time an error was thrown outside of
// it: without, such an error still ends the process with a failure. Imported before node:test is.
import asyncHooks from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'

const { createHook } = asyncHooks
asyncHooks.createHook = () => ({ enable() {}, disable() {} })
await import('node:test')
asyncHooks.createHook = createHook
syncBuiltinESMExports()
