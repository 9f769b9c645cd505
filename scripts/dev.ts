// The console as its source is, redrawn on every change, before a server that restarts when its
// own source changes. Both use `data`, like `npm start`; PORT and DATA_DIR can be set as there.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createServer } from 'vite'

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')
const port = Number(process.env.PORT || 8787)
const pagePort = Number(process.env.CONSOLE_PORT || 5173)
const page = `http://127.0.0.1:${pagePort}`
const server = `http://127.0.0.1:${port}`

const vite = await createServer({
  configFile: `${root}/console/vite.config.ts`,
  server: {
    host: '127.0.0.1',
    port: pagePort,
    strictPort: true,
    proxy: { '^/(?!console/)': server },
  },
})
await vite.listen()
// The address of the page is the server's, so that its own pages count as such.
const env = { ...process.env, PORT: String(port), BASE_URL: page, CONSOLE: 'off' }
const child = spawn(
  process.execPath,
  ['--watch-path', `${root}/src`, '--watch-preserve-output', `${root}/src/main.ts`],
  { cwd: root, env, stdio: 'inherit' },
)
console.log(`console with hot reload: ${page}/console/`)

// Vite's own listener would end this process before the server has stopped.
process.removeAllListeners('SIGTERM')
const stop = () => child.kill('SIGTERM')
process.once('SIGINT', stop)
process.once('SIGTERM', stop)
child.once('exit', async (status) => {
  await vite.close()
  process.exit(status ?? 0)
})
