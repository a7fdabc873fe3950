import type { Announcement } from '@tollgate/contracts/http/status.ts'
import { adminCall, refreshAdmin } from '../../../api/admin.ts'
import { now } from '../../../api/clock.ts'
import { chosenZone } from '../../../format/time.ts'
import { isolate } from '../../../format/visible-text.ts'
import { DialogForm } from '../../../forms/dialog-form.tsx'
import { TextAreaField, TextField } from '../../../forms/fields.tsx'
import { readNothing } from '../../../forms/form.tsx'
import { SelectField } from '../../../forms/select-field.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { readAnnouncementForm } from './read-announcement-form.ts'

const levels = [
  ['info', 'Information'],
  ['degraded', 'Degraded: some requests are slow or fail'],
  ['outage', 'Outage: most requests fail'],
  ['maintenance', 'Maintenance: shown 7 days before it starts']
] as const

/** Announces something on the status page. */
export function AnnounceDialog({ onClose }: { readonly onClose: () => void }) {
  const showToast = useToast()
  const zone = chosenZone() === 'utc' ? 'utc' : 'own'
  const inZone = zone === 'utc' ? 'In UTC.' : 'In your time zone.'
  return (
    <Dialog
      title="Announce something"
      description="Everybody sees it on the status page, also without signing in."
      onClose={onClose}
    >
      <DialogForm
        action="Announce"
        onClose={onClose}
        read={(data) => readAnnouncementForm(data, zone)}
        submit={async (body) => {
          await adminCall('createAnnouncement', { body })
          await refreshAdmin()
          showToast('Announced. Everybody sees it within two minutes.')
          onClose()
        }}
      >
        <SelectField name="level" label="Level" options={levels} />
        <TextField name="title" label="Title" maxLength={120} autoComplete="off" required />
        <TextAreaField name="text" label="Text" hint="Markdown." maxLength={4000} isOptional />
        <TextField
          name="starts_at"
          label="Start"
          type="datetime-local"
          hint={`${inZone} Leave it empty to start now.`}
          isOptional
        />
        <TextField
          name="ends_at"
          label="End"
          type="datetime-local"
          hint={`${inZone} Leave it empty if you do not know it yet.`}
          isOptional
        />
      </DialogForm>
    </Dialog>
  )
}

interface AnnouncementDialogProps {
  readonly target: Announcement
  readonly onClose: () => void
}

/** Ends an announcement now. */
export function EndAnnouncementDialog({ target, onClose }: AnnouncementDialogProps) {
  const showToast = useToast()
  return (
    <Dialog
      title={`End ${isolate(target.title)}?`}
      description="The status page shows it as past for 7 days."
      onClose={onClose}
    >
      <DialogForm
        action="End announcement"
        onClose={onClose}
        read={readNothing}
        submit={async () => {
          // The clock of this browser may be a little behind.
          const at = Math.max(now().getTime(), Date.parse(target.starts_at) + 1000)
          await adminCall('changeAnnouncement', {
            params: { id: target.id },
            body: { ends_at: new Date(at).toISOString() }
          })
          await refreshAdmin()
          showToast('Announcement ended.')
          onClose()
        }}
      />
    </Dialog>
  )
}

/** Deletes an announcement. */
export function DeleteAnnouncementDialog({ target, onClose }: AnnouncementDialogProps) {
  const showToast = useToast()
  return (
    <Dialog
      title={`Delete ${isolate(target.title)}?`}
      description="Nobody sees it any more, not even as a past announcement."
      onClose={onClose}
    >
      <DialogForm
        action="Delete announcement"
        tone="danger"
        onClose={onClose}
        read={readNothing}
        submit={async () => {
          await adminCall('deleteAnnouncement', { params: { id: target.id } })
          await refreshAdmin()
          showToast('Announcement deleted.')
          onClose()
        }}
      />
    </Dialog>
  )
}
