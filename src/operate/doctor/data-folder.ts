import { constants } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts'

const scarceBytes = 1024 ** 3
const check = 'data'

export async function checkDataFolder(dataDir: string): Promise<Finding[]> {
  const existing = await nearestExisting(dataDir)
  try {
    await access(existing, constants.R_OK | constants.W_OK)
  } catch (error) {
    const message = `${existing} cannot be written: ${reasonOf(error)}`
    return [fail(check, message, 'Give this user the folder, or set DATA_DIR to another.')]
  }
  const { bavail, bsize } = await statfs(existing)
  const freeBytes = bavail * bsize
  const free = `${(freeBytes / 1024 ** 3).toFixed(1)} GiB free`
  const state = existing === dataDir ? 'is writable' : 'will be created at the first start'
  const findings = await checkSecrets(dataDir)
  return [
    freeBytes < scarceBytes
      ? warn(
          check,
          `${dataDir} ${state}, ${free}`,
          'Free some space: a full disk stops the server.',
        )
      : ok(check, `${dataDir} ${state}, ${free}`),
    ...findings,
  ]
}

/** The folder itself, or its closest parent that exists. */
async function nearestExisting(path: string): Promise<string> {
  const exists = await stat(path).then(
    () => true,
    () => false,
  )
  return exists || dirname(path) === path ? path : nearestExisting(dirname(path))
}

async function checkSecrets(dataDir: string): Promise<Finding[]> {
  // Windows has no file modes of this kind.
  if (process.platform === 'win32') return []
  const findings: Finding[] = []
  for (const name of ['owner.key', 'secret.key']) {
    const path = join(dataDir, name)
    const found = await stat(path).catch(() => null)
    if (found && (found.mode & 0o077) !== 0) {
      findings.push(warn(check, `${path} is readable by other users`, `chmod 600 ${path}`))
    }
  }
  return findings
}
