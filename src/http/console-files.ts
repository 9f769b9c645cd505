// Serves the built web console from memory, compressed at build time. Browsers cache files with
// a hash in their name for a year and revalidate the page itself on every visit. Never waits for
// the build: until it is ready, `/console/` answers 503 with a page that reloads itself.
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Failure } from '#core/errors.ts'
import { type Page, page } from './pages/page.ts'
import { sendPage } from './pages/send-page.ts'
import type { KnownPath } from './path-table.ts'

/** Forbids inline scripts and styles, other hosts, and APIs that turn text into code. */
export const consolePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

type Encoding = 'br' | 'gzip' | 'identity'
type ServedFile = { type: string; bytes: Record<Encoding, Buffer> }
type State =
  | { kind: 'absent' }
  | { kind: 'building' }
  | { kind: 'failed' }
  | { kind: 'ready'; files: Map<string, ServedFile> }

export type ConsoleFiles = {
  /** Reads the build in this folder; later requests are served from it. */
  load(folder: string): Promise<void>
  building(): void
  failed(): void
  mount(app: FastifyInstance): void
}

const known = (path: string): KnownPath => ({ path, methods: ['GET', 'HEAD'], isPublic: false })

/** Paths below `/console` that are not files serve one page, whose router picks the screen. */
export const consolePaths: KnownPath[] = [known('/'), known('/console'), known('/console/{path}')]

export function createConsoleFiles(): ConsoleFiles {
  let state: State = { kind: 'absent' }
  return {
    async load(folder) {
      state = { kind: 'ready', files: await readFiles(folder) }
    },
    building: () => {
      state = { kind: 'building' }
    },
    failed: () => {
      state = { kind: 'failed' }
    },
    mount(app) {
      app.get('/', (_request, reply) => reply.redirect('/console/', 302))
      app.get('/console', (_request, reply) => reply.redirect('/console/', 302))
      app.get<{ Params: { '*': string } }>('/console/*', (request, reply) =>
        answer(state, request, reply, request.params['*']),
      )
    },
  }
}

function answer(state: State, request: FastifyRequest, reply: FastifyReply, path: string) {
  if (state.kind !== 'ready') {
    return sendPage(reply.code(503).header('retry-after', '2'), waitingPage(state))
  }
  const isFile = path.startsWith('assets/')
  const file = state.files.get(isFile ? path : 'index.html')
  if (!file) throw new Failure('ROUTE_NOT_FOUND', { message: 'There is no such file.' })
  const encoding = chosenEncoding(String(request.headers['accept-encoding'] ?? ''))
  reply
    .type(file.type)
    .header('vary', 'accept-encoding')
    .header('cache-control', isFile ? 'public, max-age=31536000, immutable' : 'no-cache')
    .header('referrer-policy', 'no-referrer')
    .header('cross-origin-opener-policy', 'same-origin')
    .header('cross-origin-resource-policy', 'same-origin')
  if (!isFile) reply.header('content-security-policy', consolePolicy)
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  return reply.send(file.bytes[encoding])
}

function chosenEncoding(accepted: string): Encoding {
  const words = accepted
    .split(',')
    .map((word) => word.replaceAll(' ', ''))
    // `br;q=0` means that the client does not accept br.
    .filter((word) => !/;q=0(\.0*)?$/.test(word))
    .map((word) => word.split(';')[0])
  if (words.includes('br')) return 'br'
  return words.includes('gzip') ? 'gzip' : 'identity'
}

async function readFiles(folder: string): Promise<Map<string, ServedFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = new Map<string, ServedFile>()
  for (const entry of entries) {
    const type = types[extname(entry.name)]
    if (!entry.isFile() || !type) continue
    const path = join(entry.parentPath, entry.name)
    const [identity, br, gzip] = await Promise.all([
      readFile(path),
      readFile(`${path}.br`),
      readFile(`${path}.gz`),
    ])
    files.set(relative(folder, path).split(sep).join('/'), { type, bytes: { identity, br, gzip } })
  }
  if (!files.has('index.html')) throw new Error(`${folder} holds no console`)
  return files
}

function waitingPage(state: Exclude<State, { kind: 'ready' }>): Page {
  if (state.kind === 'building')
    return page({
      title: 'Atelier is preparing its console',
      refreshSeconds: 2,
      body: `<main class="narrow"><h1>One moment</h1>
<p class="lead">The console is being built; this page opens it by itself in a few seconds. The API already works: see the <a href="/docs">reference</a>.</p></main>`,
    })
  const reason =
    state.kind === 'failed'
      ? 'Building the console failed; the server’s log says why. Run <code>npm run build:console</code> and start again.'
      : 'This server runs without its console (<code>CONSOLE=off</code>).'
  return page({
    title: 'Atelier without its console',
    body: `<main class="narrow"><h1>No console here</h1>
<p class="lead">${reason} The API works: see the <a href="/docs">reference</a>.</p></main>`,
  })
}
