import { useQuery } from '@tanstack/react-query'
import type { Announcement } from '@tollgate/contracts/http/status.ts'
import { useState } from 'react'
import { adminRead } from '../../../api/admin.ts'
import { now } from '../../../api/clock.ts'
import { lazyDialog } from '../../../layout/lazy-dialog.tsx'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Moment } from '../../../ui/moment.tsx'
import { QueryView } from '../../../ui/states.tsx'

const load = () => import('./announcement-dialogs.tsx')
const AnnounceDialog = lazyDialog(load, 'AnnounceDialog')
const EndAnnouncementDialog = lazyDialog(load, 'EndAnnouncementDialog')
const DeleteAnnouncementDialog = lazyDialog(load, 'DeleteAnnouncementDialog')

const levels = {
  info: ['neutral', 'Information'],
  degraded: ['warning', 'Degraded'],
  outage: ['danger', 'Outage'],
  maintenance: ['accent', 'Maintenance']
} as const

type Opened = { readonly act: 'end' | 'delete'; readonly target: Announcement } | { readonly act: 'announce' }

/** What operators tell everybody on the status page. */
export function AnnouncementsCard() {
  const query = useQuery(adminRead('listAnnouncements'))
  const [opened, setOpened] = useState<Opened | null>(null)
  const onClose = () => setOpened(null)
  return (
    <Card
      title="Announcements"
      description="What everybody reads on the status page."
      actions={<Button onClick={() => setOpened({ act: 'announce' })}>Announce</Button>}
      isFlush
    >
      <QueryView query={query}>
        {({ announcements }) =>
          announcements.length === 0 ? (
            <p className="px-5 pb-5 text-sm text-ink-soft">Your announcements will appear here.</p>
          ) : (
            <ul aria-label="Announcements" className="divide-y divide-line">
              {announcements.map((one) => (
                <AnnouncementRow key={one.id} announcement={one} onOpen={(act) => setOpened({ act, target: one })} />
              ))}
            </ul>
          )
        }
      </QueryView>
      {opened?.act === 'announce' && <AnnounceDialog onClose={onClose} />}
      {opened?.act === 'end' && <EndAnnouncementDialog target={opened.target} onClose={onClose} />}
      {opened?.act === 'delete' && <DeleteAnnouncementDialog target={opened.target} onClose={onClose} />}
    </Card>
  )
}

interface RowProps {
  readonly announcement: Announcement
  readonly onOpen: (act: 'end' | 'delete') => void
}

function AnnouncementRow({ announcement, onOpen }: RowProps) {
  const { title, level, starts_at: start, ends_at: end, is_present: isPresent } = announcement
  const [tone, name] = levels[level]
  const isPlanned = Date.parse(start) > now().getTime()
  return (
    <li className="flex flex-wrap items-center gap-x-6 gap-y-2 px-5 py-4">
      <div className="min-w-0 flex-1 basis-72">
        <div className="flex flex-wrap items-center gap-2">
          <p className="min-w-0 break-words">{title}</p>
          <Badge tone={isPresent ? tone : 'neutral'}>{name}</Badge>
        </div>
        <p className="mt-0.5 text-sm text-ink-soft">
          {isPlanned ? 'Starts' : 'Started'} <Moment at={start} />
          {end !== null && (
            <>
              , {isPresent || isPlanned ? 'ends' : 'ended'} <Moment at={end} />
            </>
          )}
        </p>
      </div>
      <div className="flex gap-2">
        {isPresent && (
          <Button size="small" onClick={() => onOpen('end')}>
            End
          </Button>
        )}
        <Button size="small" tone="quiet" onClick={() => onOpen('delete')}>
          Delete
        </Button>
      </div>
    </li>
  )
}
