export const ways = ['curl', 'javascript', 'openai', 'mcp', 'skills'] as const
export type Way = (typeof ways)[number]

export const connectSearch = (search: Record<string, unknown>): { with?: Way } => {
  const way = ways.find((one) => one === search.with)
  return way ? { with: way } : {}
}
