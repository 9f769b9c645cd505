import { consoleExchange } from './console-api.ts'
import type { Media } from './types.ts'

/** Stores a picture or video. Returns its address. */
export const uploadMedia = async (file: File): Promise<string> =>
  (await consoleExchange<Media>('/uploads', { method: 'POST', body: file })).data.url
