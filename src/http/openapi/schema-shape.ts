/** Schemas that differ only in their descriptions have the same shape: they are one type. */
export const shapeOf = (schema: object): string =>
  JSON.stringify(schema, (key, value) =>
    key === 'description' && typeof value === 'string' ? undefined : value,
  )
