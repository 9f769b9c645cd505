import assert from 'node:assert/strict'
import { ApiError, GoogleGenAI } from '@google/genai'

export const clientOf = ({ url }: { url: string }, apiKey: string) =>
  new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url } })

type Said = {
  code: number
  message: string
  status: string
  details: { [name: string]: unknown }[]
}

/** What the official client was told of a failed call. */
export async function failureOf(call: Promise<unknown>): Promise<Said & { http: number }> {
  try {
    await call
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error))
    const { error: said } = JSON.parse(error.message) as { error: Said }
    return { http: error.status, ...said }
  }
  throw new Error('the call succeeded')
}
