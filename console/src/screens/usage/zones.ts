import type { Option } from '#console/ui/option.ts'
import { knownZone } from './address.ts'

/** The reader's own time zone, UTC and the current one; the address accepts any other. */
export const zoneOptions = (shown: string): Option[] =>
  [...new Set([knownZone(undefined), 'UTC', shown])].map((zone) => ({
    value: zone,
    label: zone.replaceAll('_', ' '),
  }))
