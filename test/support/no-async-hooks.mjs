// The runner of Node follows every promise to the test that made it, which takes 15 times the time
// of the promise. It gains two things by that: the name of the test in whose time an error was
// thrown outside of it, and the suite of what is declared behind an await. Without, such an error
// still ends the process with a failure, and the suite is kept here, in a context that costs next
// to nothing. Imported before node:test is.
import asyncHooks, {
  AsyncLocalStorage,
  executionAsyncId,
  executionAsyncResource,
} from 'node:async_hooks'
import { createRequire, syncBuiltinESMExports } from 'node:module'

const { createHook } = asyncHooks
/** How the runner learns of a test: by the hook that is not enabled here. */
let learn
asyncHooks.createHook = ({ init }) => {
  learn = init
  return { enable() {}, disable() {} }
}
const runner = createRequire(import.meta.url)('node:test')
asyncHooks.createHook = createHook

/** The test, suite or hook whose function is executing. */
const current = new AsyncLocalStorage()

/**
 * The runner keeps every function until the process ends, and with it the servers and databases
 * that it names, which whoever collects garbage would go through again and again.
 */
const letGo = (body) => {
  let kept = body
  return Object.defineProperty(
    function (...args) {
      const called = kept
      kept = undefined
      return called.apply(this, args)
    },
    'length',
    { value: body.length },
  )
}

/** Keeps the number of parameters, by which the runner knows that one is a callback. */
const remembered = (body) =>
  Object.defineProperty(
    function (...args) {
      const resource = executionAsyncResource()
      learn(executionAsyncId(), 'Test', 0, resource)
      letGoAfter(args[0])
      return current.run(resource, () => body.apply(this, args))
    },
    'length',
    { value: body.length },
  )

let contextAfter
/** What a test leaves to `t.after` names its servers too. */
function letGoAfter(context) {
  const contexts = context && Object.getPrototypeOf(context)
  if (contextAfter || !contexts?.after) return
  contextAfter = contexts.after
  contexts.after = function (body, options) {
    return contextAfter.call(this, letGo(body), options)
  }
}

const inScope =
  (declare, isCalledOnce) =>
  (...args) => {
    const words = args.map((arg) => {
      if (typeof arg !== 'function') return arg
      return remembered(isCalledOnce ? letGo(arg) : arg)
    })
    const scope = current.getStore()
    return scope ? scope.runInAsyncScope(declare, undefined, ...words) : declare(...words)
  }

for (const name of [
  'test',
  'it',
  'describe',
  'suite',
  'before',
  'after',
  'beforeEach',
  'afterEach',
])
  runner[name] = Object.assign(inScope(runner[name], !name.endsWith('Each')), runner[name])
syncBuiltinESMExports()
