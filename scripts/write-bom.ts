// Writes dist/bom.cdx.json (CycloneDX) and dist/third-party-notices.md: what a server consists of
// besides its own code, including the packages inside the built console.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtempDisposable } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from './install.mjs'
import { importedBy, lockedPackages, readManifest, writeLockPart } from './lock-part.ts'

type License = { license?: { id?: string; name?: string }; expression?: string }
type Component = {
  name: string
  version: string
  licenses?: License[]
}

export async function writeBom(): Promise<void> {
  mkdirSync(join(root, 'dist'), { recursive: true })
  await using temporary = await mkdtempDisposable(join(root, 'dist/bom-'))
  // npm names the application after its folder.
  const folder = join(temporary.path, readManifest().name)
  mkdirSync(folder)
  const { dependencies, optionalDependencies } = readManifest()
  const bundled = importedBy('console/src/**/*.{ts,tsx,css}')
  await writeLockPart(folder, {
    dependencies: { ...dependencies, ...bundled },
    optionalDependencies,
  })
  cpSync(join(root, '.npmrc'), join(folder, '.npmrc'))
  const args = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only']
  const text = execFileSync('npm', args, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  writeFileSync(join(root, 'dist/bom.cdx.json'), text)
  const { components } = JSON.parse(text) as { components: Component[] }
  writeFileSync(join(root, 'dist/third-party-notices.md'), notices(components))
}

function notices(components: readonly Component[]): string {
  const sections = components
    .toSorted((a, b) => a.name.localeCompare(b.name))
    .map((component) => {
      const { name, version } = component
      const texts = licenseTexts(component).map((text) => `\`\`\`\n${text.trim()}\n\`\`\`\n`)
      return `## ${name} ${version}\n\nLicence: ${licenseOf(component)}\n\n${texts.join('\n')}`
    })
  return `# Third-party notices\n\nAtelier includes or uses these packages.\n\n${sections.join('\n')}`
}

const licenseOf = ({ licenses = [] }: Component): string =>
  licenses
    .map(({ license, expression }) => expression ?? license?.id ?? license?.name)
    .join(', ') || 'not stated'

/** Packages for other platforms are not installed here, so they are listed without a text. */
function licenseTexts({ name, version }: Component): string[] {
  const path = installed.get(`${name}@${version}`) ?? ''
  if (!existsSync(join(root, path, 'package.json')) || path === '') return []
  return readdirSync(join(root, path))
    .filter((file) => /^(licen[cs]e|notice|copying|third-party-notices)/i.test(file))
    .map((file) => readFileSync(join(root, path, file), 'utf8'))
}

const installed = new Map(
  lockedPackages().map(({ name, version, path }) => [`${name}@${version}`, path]),
)

if (import.meta.main) {
  await writeBom()
  console.error('dist/bom.cdx.json and dist/third-party-notices.md are written')
}
