// Writes lib/: the server, the command line and everything they read, as an installed package
// needs them, because Node strips no types inside node_modules. lib/ is as deep as src/, so that
// every path between the files, and from them to package.json, stays the same.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { root } from './install.mjs'

const source = join(root, 'src')
const aliases = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).imports as Record<
  string,
  string
>

/** Programs of isolated processes are written without types. */
const isCode = (path: string) => /\.(m?ts|mjs)$/.test(path)

export function compileServer(output: string): void {
  for (const path of globSync('**/*.*', { cwd: source })) {
    const target = join(output, path.replace(/ts$/, 'js'))
    mkdirSync(dirname(target), { recursive: true })
    if (!isCode(path)) {
      cpSync(join(source, path), target)
      continue
    }
    const text = readFileSync(join(source, path), 'utf8')
    // The same text that a clone runs, line by line; only the types are blank.
    const plain = path.endsWith('ts') ? stripTypeScriptTypes(text) : text
    writeFileSync(target, withCompiledNames(plain, path).replace(/[ \t]+$/gm, ''))
  }
  writeDeclarations(output)
}

function writeDeclarations(output: string): void {
  const tsc = join(root, 'node_modules/.bin/tsc')
  // `npm run check` has examined the types. Several threads, each with a checker of its own, would
  // take three times the processor time.
  const flags = ['--noCheck', '--singleThreaded']
  const args = ['-p', join(root, 'tsconfig.package.json'), '--outDir', output, ...flags]
  const { status, stdout } = spawnSync(tsc, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`tsc: ${stdout}`)
  for (const path of globSync('**/*.d.{ts,mts}', { cwd: output })) {
    const file = join(output, path)
    const ofSource = path.replace(/\.d\.(m?)ts$/, '.$1ts')
    writeFileSync(file, withCompiledNames(readFileSync(file, 'utf8'), ofSource))
  }
}

/**
 * Changes every quoted path that begins with `./`, `../` or an alias and names a source file to the
 * path of the compiled file. This one rule covers imports, workers and child processes.
 */
export function withCompiledNames(text: string, path: string): string {
  return text.replace(/(['"])(\.{1,2}\/[^'"\n]+|#[^'"\n]+)\1/g, (whole, quote, name: string) => {
    const target = sourceOf(name, path)
    if (target === undefined) return whole
    const compiled = relative(dirname(path), relative(source, target)).replace(/ts$/, 'js')
    return `${quote}${compiled.startsWith('.') ? compiled : `./${compiled}`}${quote}`
  })
}

function sourceOf(name: string, path: string): string | undefined {
  const file = name.startsWith('#') ? aliased(name) : join(source, dirname(path), name)
  return file !== undefined && isCode(file) && existsSync(file) ? file : undefined
}

/** Only aliases of src/ are needed, because the server imports nothing from the console. */
const aliased = (name: string): string => join(root, aliases[name] ?? `src/${name.slice(1)}`)
