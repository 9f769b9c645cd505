// Lets a benchmark ask its target for figures that only the target knows.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

process.on('message', (what) => {
  process.send?.(what === 'cpu' ? cpuUs() : collectedBytes())
})

function cpuUs(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** Collects garbage first; otherwise the figure depends on the last collection. */
function collectedBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().rss
}
