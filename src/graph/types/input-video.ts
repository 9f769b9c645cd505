import { defineMediaInput } from '../node/input-media.ts'

export const inputVideo = defineMediaInput(
  'video',
  'A video given when the run starts, as an address or a data URL.',
)
