// A real Chromium, from the npm registry alone, closed whatever the tests do. Never downloads, and
// never leaves a half-unpacked browser to another process.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright-core'

const packageFolder = join(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))), '..')

/** A browser for one test, with whatever it leaves open. */
export async function withBrowser<T>(use: (browser: Browser) => Promise<T>): Promise<T> {
  const browser = await startBrowser()
  try {
    return await use(browser)
  } finally {
    await browser.close()
  }
}

let shared: { browser: Promise<Browser>; users: number } | undefined

/**
 * One browser for all test files of a process, because starting one takes two seconds of processor
 * time. Each user opens contexts of its own and closes them; the last one closes the browser.
 */
export async function shareBrowser(): Promise<AsyncDisposable & { browser: Browser }> {
  shared ??= { browser: startBrowser(), users: 0 }
  const own = shared
  own.users += 1
  const leave = async () => {
    own.users -= 1
    if (own.users > 0) return
    if (shared === own) shared = undefined
    await (await own.browser).close()
  }
  return { browser: await own.browser, [Symbol.asyncDispose]: leave }
}

async function startBrowser(): Promise<Browser> {
  const folder = await unpacked()
  const fonts = join(folder, 'atelier-fonts.conf')
  await writeFile(fonts, fontsConfig(folder))
  return chromium.launch({
    executablePath: join(folder, 'chromium'),
    args: [
      // The sandbox needs rights that containers rarely grant, and the pages under test are our own.
      ...['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
      // One process draws all pages: a tenth less processor time than one for each.
      ...['--renderer-process-limit=1', '--process-per-site', '--disable-component-update'],
      // A page that a test opens for seconds does not earn back what optimising its code takes. The
      // benchmarks have theirs optimised, as people do.
      ...(process.env.NODE_TEST_CONTEXT ? ['--js-flags=--no-opt'] : []),
    ],
    // A busy machine may be slow to start it.
    timeout: 300_000,
    env: {
      ...process.env,
      // The package brings libraries and fonts, because a bare machine has neither.
      LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
      FONTCONFIG_FILE: fonts,
    },
  })
}

/**
 * The package's own configuration names folders of another machine, and a browser that finds no
 * font at all crashes at the first word. Inter comes with the product; the monospace font is the
 * machine's.
 */
const fontsConfig = (folder: string): string => {
  const inter = dirname(fileURLToPath(import.meta.resolve('@expo-google-fonts/inter')))
  const dirs = [
    join(inter, '400Regular'),
    join(inter, '600SemiBold'),
    join(folder, 'fonts', 'fonts'),
    '/usr/share/fonts',
  ]
  const prefer = (generic: string, family: string) =>
    `<alias><family>${generic}</family><prefer><family>${family}</family></prefer></alias>`
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
${dirs.map((dir) => `<dir>${dir}</dir>`).join('\n')}
<cachedir>${join(folder, 'fonts-cache')}</cachedir>
${prefer('sans-serif', 'Inter')}
${prefer('system-ui', 'Inter')}
${prefer('monospace', 'DejaVu Sans Mono')}
</fontconfig>
`
}

/** The folder with this version of the browser, unpacked once per machine. */
async function unpacked(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'))
  const folder = join(tmpdir(), `atelier-chromium-${version}`)
  if (existsSync(folder)) return folder
  // The package always unpacks into the temporary folder, so it runs in a process with a different
  // one. Thanks to the rename, test files that start together find it complete or absent.
  const own = await mkdtemp(join(tmpdir(), 'atelier-unpack-'))
  const script = `import chromium, { inflate } from '@sparticuz/chromium'
    await chromium.executablePath()
    await inflate(${JSON.stringify(join(packageFolder, 'bin', 'al2023.tar.br'))})`
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: packageFolder,
    env: { ...process.env, TMPDIR: own },
  })
  await rename(own, folder).catch(async (error: unknown) => {
    await rm(own, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  })
  return folder
}
