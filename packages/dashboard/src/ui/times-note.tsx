import { Link } from '@tanstack/react-router'
import { chosenZone, ownZoneName } from '../format/zone.ts'
import { textLink } from './text-link.ts'

/** Says in which zone a page shows times, and where to change it. */
export function TimesNote() {
  return (
    <p className="text-sm text-ink-soft">
      Times are in {chosenZone() === 'utc' ? 'UTC' : `your time zone, ${ownZoneName()}`}.{' '}
      <Link to="/dashboard/account" hash="times" className={textLink}>
        Change time zone
      </Link>
    </p>
  )
}
