// Imported into a server: keeps the most processor time that one turn of its event loop took, which
// tells how long others had to wait however busy the machine is. The start does not count.
import { writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const { ATELIER_TEST_TURNS: out } = process.env
if (isMainThread && out) watch(out)

function watch(path: string) {
  const usedMs = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  let beforeMs = usedMs()
  let longestMs = 0
  const look = () => {
    const nowMs = usedMs()
    longestMs = Math.max(longestMs, nowMs - beforeMs)
    beforeMs = nowMs
    setTimeout(look, 1).unref()
  }
  // The signal that turns the log of requests on is sent once the server is ready.
  process.once('SIGUSR2', () => {
    beforeMs = usedMs()
    look()
  })
  process.on('exit', () => writeFileSync(path, JSON.stringify({ longestMs })))
}
