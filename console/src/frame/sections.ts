import {
  Boxes,
  ChartColumn,
  CodeXml,
  Image,
  Inbox,
  LayoutDashboard,
  type LucideIcon,
  MessageSquare,
  Play,
  Workflow,
} from 'lucide-react'

export type Section = {
  to:
    | '/'
    | '/playground/chat'
    | '/inbox'
    | '/models'
    | '/tasks'
    | '/workflows'
    | '/runs'
    | '/usage'
    | '/developer/keys'
  /** Addresses with this prefix belong to the section. */
  prefix: string
  label: string
  Icon: LucideIcon
  /** The key to press after `g`. */
  key: string
  /** Listed under "More" on phones, where the bar has room for four sections and that. */
  isSecond?: true
  /** Hidden from viewers, who cannot use it. */
  needs?: 'editor'
}

export const sections: readonly Section[] = [
  { to: '/', prefix: '/', label: 'Overview', Icon: LayoutDashboard, key: 'o' },
  { to: '/inbox', prefix: '/inbox', label: 'Inbox', Icon: Inbox, key: 'i' },
  {
    to: '/playground/chat',
    prefix: '/playground',
    label: 'Playground',
    Icon: MessageSquare,
    key: 'p',
    isSecond: true,
    needs: 'editor',
  },
  { to: '/models', prefix: '/models', label: 'Models', Icon: Boxes, key: 'm', isSecond: true },
  { to: '/tasks', prefix: '/tasks', label: 'Tasks', Icon: Image, key: 't', isSecond: true },
  { to: '/workflows', prefix: '/workflows', label: 'Workflows', Icon: Workflow, key: 'w' },
  { to: '/runs', prefix: '/runs', label: 'Runs', Icon: Play, key: 'r' },
  { to: '/usage', prefix: '/usage', label: 'Usage', Icon: ChartColumn, key: 'u', isSecond: true },
  {
    to: '/developer/keys',
    prefix: '/developer',
    label: 'Developer',
    Icon: CodeXml,
    key: 'd',
    isSecond: true,
  },
]

/** The section an address belongs to. */
export const sectionOf = (pathname: string): Section | undefined =>
  pathname === '/'
    ? sections[0]
    : sections.find(({ prefix }) => prefix !== '/' && pathname.startsWith(prefix))
