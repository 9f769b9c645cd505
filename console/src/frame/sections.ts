import {
  ChartColumn,
  CodeXml,
  Image,
  LayoutDashboard,
  type LucideIcon,
  MessageSquare,
  Play,
  Workflow,
} from 'lucide-react'

export type Section = {
  to: '/' | '/playground/chat' | '/tasks' | '/workflows' | '/runs' | '/usage' | '/developer/keys'
  /** Addresses that begin so belong to it. */
  prefix: string
  label: string
  Icon: LucideIcon
  /** After `g`. */
  key: string
  /** Under "More" on phones, whose foot has room for four and that. */
  isSecond?: true
  /** Of no use to those who may only look. */
  needs?: 'editor'
}

export const sections: readonly Section[] = [
  { to: '/', prefix: '/', label: 'Overview', Icon: LayoutDashboard, key: 'o' },
  {
    to: '/playground/chat',
    prefix: '/playground',
    label: 'Playground',
    Icon: MessageSquare,
    key: 'p',
    needs: 'editor',
  },
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
