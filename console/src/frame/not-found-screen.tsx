import { Link } from '@tanstack/react-router'
import { buttonClass } from '#console/ui/button-class.ts'
import { Page } from '#console/ui/page.tsx'

export function NotFoundScreen() {
  return (
    <Page
      title="There is nothing here"
      width="read"
      lead="The address is wrong, or what was here is gone."
    >
      <div className="flex flex-wrap gap-2">
        <Link to="/" className={buttonClass('primary')}>
          Go to the overview
        </Link>
        <a href="/docs" className={buttonClass()}>
          API reference
        </a>
      </div>
    </Page>
  )
}
