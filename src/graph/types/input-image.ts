import { defineMediaInput } from '../node/input-media.ts'

export const inputImage = defineMediaInput(
  'image',
  'A picture given when the run starts, as an address or a data URL.',
)
