import type { Config } from '#config'
import { systemClock } from '#core/clock.ts'
import { type Finding, fail, ok, reasonOf } from './finding.ts'

const check = 'media'
const shown = 20

/** Whether an S3 store can be used. Files are in the data folder, which has its own check. */
export async function checkMedia(config: Config): Promise<Finding[]> {
  if (config.MEDIA_URL === '') return []
  try {
    const { checkMediaStore } = await import('../backup/scrub-media.ts')
    await checkMediaStore(config, systemClock)
    return [ok(check, 'the S3 store answers')]
  } catch (error) {
    return [unusable(error)]
  }
}

/** Reads all media and compares each file with its checksum. */
export async function checkEveryMedia(config: Config): Promise<Finding[]> {
  try {
    const { scrubMedia } = await import('../backup/scrub-media.ts')
    const { count, lost } = await scrubMedia(config, systemClock)
    const files = count === 1 ? '1 file' : `${count} files`
    if (lost.length === 0) return [ok(check, `${files} read, none damaged`)]
    const advice = 'Put these files back from a backup, under the same names.'
    return [
      fail(check, `${lost.length} of ${files} missing or damaged`, advice),
      ...lost.slice(0, shown).map((message) => fail(check, message, advice)),
    ]
  } catch (error) {
    return [unusable(error)]
  }
}

const unusable = (error: unknown): Finding =>
  fail(
    check,
    `the media store cannot be used: ${reasonOf(error)}`,
    'Check MEDIA_URL, the AWS variables, and that the store answers this machine.',
  )
