import type { Config } from '#config'
import { systemClock } from '#core/clock.ts'
import { count } from '../terminal/show.ts'
import { type Finding, fail, ok, reasonOf } from './finding.ts'

const check = 'media'
const shown = 20

/** Whether an S3 store can be used. Files are in the data folder, which has its own check. */
export async function checkMedia(config: Config): Promise<Finding[]> {
  if (config.MEDIA_URL === '') return []
  try {
    const { checkMediaStore } = await import('#app/scrub-media.ts')
    await checkMediaStore(config, systemClock)
    return [ok(check, 'the S3 store answers')]
  } catch (error) {
    return [unusable(error)]
  }
}

/** Reads all media and compares each file with its checksum. */
export async function checkEveryMedia(config: Config): Promise<Finding[]> {
  try {
    const { scrubMedia } = await import('#app/scrub-media.ts')
    const { count: total, lost } = await scrubMedia(config, systemClock)
    if (lost.length === 0) return [ok(check, `${count(total, 'file')} read, none damaged`)]
    const advice = 'Put these files back from a backup, under the same names.'
    return [
      fail(check, `${lost.length} of ${count(total, 'file')} missing or damaged`, advice),
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
