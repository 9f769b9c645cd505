// Embedding vectors on the wire: JSON numbers, or base64 of 32-bit floats, little-endian.

const bytesPerNumber = Float32Array.BYTES_PER_ELEMENT

/** Undefined for anything but a list of finite numbers. */
export function vectorOf(value: unknown): Float32Array | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined
  const vector = Float32Array.from(value as number[])
  return vector.every(Number.isFinite) ? vector : undefined
}

export function readVector(base64: string): Float32Array | undefined {
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length === 0 || bytes.length % bytesPerNumber !== 0) return undefined
  const vector = new Float32Array(bytes.length / bytesPerNumber)
  for (let i = 0; i < vector.length; i++) vector[i] = bytes.readFloatLE(i * bytesPerNumber)
  return vector.every(Number.isFinite) ? vector : undefined
}
