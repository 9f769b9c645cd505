/** Matches any text that contains this one; for `like … escape '\\'`. */
export const likePattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`
