export type MembersSearch = { invite?: boolean }

export const membersSearch = (search: Record<string, unknown>): MembersSearch =>
  search.invite === true ? { invite: true } : {}
