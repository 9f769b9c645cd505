import type { Notice } from '#console/api/types.ts'
import { locale } from '#console/lib/locale.ts'

const dayName = (day: string): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(
    Date.parse(`${day}T00:00:00Z`),
  )

const pauses: Record<NonNullable<Notice['reason']>, string> = {
  FAILURES: 'Its last runs all failed.',
  KEY_REVOKED: 'The key that made it was revoked.',
  MEMBER_LEFT: 'The person who made it has left.',
  RESTORED: 'The server was restored from a backup.',
}

export type NoticeWords = { title: string; text: string }

/** What a notice says: what happened, then what it means. */
export function noticeWords(notice: Notice): NoticeWords {
  const { subject } = notice
  if (notice.kind === 'limit') {
    const whose = subject === null ? 'the account' : `the key “${subject}”`
    return notice.percent === 100
      ? { title: `The spend limit of ${whose} is reached`, text: 'Further calls are refused.' }
      : {
          title: `80% of the spend limit of ${whose} is used`,
          text: 'Calls beyond it will be refused.',
        }
  }
  if (notice.kind === 'budget') return budgetWords(notice)
  if (notice.kind === 'trigger-paused') {
    const why = notice.reason ? pauses[notice.reason] : ''
    return {
      title: `The trigger “${subject ?? ''}” is paused`,
      text: `${why} It starts nothing until you switch it on.`.trim(),
    }
  }
  if (notice.kind === 'model-retiring') return retiringWords(notice)
  if (notice.kind === 'key-refused')
    return {
      title: `The provider refuses the key ${subject ?? ''}`,
      text: 'Calls are made with the other keys. Replace it, or add credit.',
    }
  return {
    title: `You signed in from a new place: ${subject ?? ''}`,
    text: notice.userAgent
      ? `With ${notice.userAgent}. If that was not you, change your password.`
      : 'If that was not you, change your password.',
  }
}

function budgetWords({ scope, subject, period, percent }: Notice): NoticeWords {
  const whose = scope === 'account' ? 'the account' : `the ${scope} “${subject ?? ''}”`
  const budget = `the ${period === 'day' ? 'daily' : 'monthly'} budget of ${whose}`
  return percent === 100
    ? { title: `All of ${budget} is used`, text: 'Further calls are refused.' }
    : { title: `${percent}% of ${budget} is used`, text: 'Calls beyond it will be refused.' }
}

function retiringWords({ subject, shutdownDay = '', replacement }: Notice): NoticeWords {
  const isOver = Date.parse(`${shutdownDay}T00:00:00Z`) <= Date.now()
  return {
    title: `${subject ?? ''} ${isOver ? 'was shut down' : 'retires'} on ${dayName(shutdownDay)}`,
    text: replacement
      ? `You use it. Its vendor names ${replacement} as the replacement.`
      : 'You use it. Choose another model in time.',
  }
}
