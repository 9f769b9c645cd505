import { LinkTabs } from '#console/ui/link-tabs.tsx'
import { playgroundTabs } from './playground-tabs.tsx'

/** Above the heading, as on other screens. */
export const PlaygroundLinks = () => <LinkTabs aria-label="Playground" links={playgroundTabs} />
