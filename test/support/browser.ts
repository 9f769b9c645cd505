// A real Chromium from the npm registry alone. Promises a fresh browser that is closed whatever
// the test does; never downloads, and never leaves a half unpacked browser to another process.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright-core'

const packageFolder = join(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))), '..')

export async function withBrowser<T>(use: (browser: Browser) => Promise<T>): Promise<T> {
  const folder = await unpacked()
  const browser = await chromium.launch({
    executablePath: join(folder, 'chromium'),
    // The sandbox needs rights that containers seldom give; pages under test are our own.
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
    env: {
      ...process.env,
      // The package's own libraries and fonts: a bare machine has neither.
      LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
      FONTCONFIG_PATH: join(folder, 'fonts'),
    },
  })
  try {
    return await use(browser)
  } finally {
    await browser.close()
  }
}

/** Where this version of the browser lies, unpacked once per machine. */
async function unpacked(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'))
  const folder = join(tmpdir(), `atelier-chromium-${version}`)
  if (existsSync(folder)) return folder
  // The package unpacks into the temporary folder, wherever that is; a process of its own can be
  // given another one. The rename makes it whole or absent when test files start together.
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
