import { Download } from 'lucide-react'
import { useState, useSyncExternalStore } from 'react'
import { call } from '../../api/call.ts'
import { now } from '../../api/clock.ts'
import { refresh } from '../../api/queries.ts'
import { chooseZone, chosenZone, formatMoment, onZone, ownZoneName } from '../../format/time.ts'
import { TextField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { textOf } from '../../forms/read-fields.ts'
import { lazyDialog } from '../../layout/lazy-dialog.tsx'
import { useUser } from '../../layout/owner.tsx'
import { Button, buttonLook } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { pageHeads } from '../../ui/page-heads.ts'
import { Segments } from '../../ui/segments.tsx'
import { useToast } from '../../ui/toast.tsx'
import { NotificationsCard } from './notifications-card.tsx'
import { PasswordCard } from './password-card.tsx'
import { SecondFactorCard } from './second-factor-card.tsx'
import { SessionsCard } from './sessions-card.tsx'

const DeleteAccountDialog = lazyDialog(() => import('./account-dialogs.tsx'), 'DeleteAccountDialog')

export function AccountPage() {
  const [isDeleting, setDeleting] = useState(false)
  return (
    <Page {...pageHeads['/dashboard/account']}>
      {/* Two columns that do not wait for each other, so that no card leaves a gap. */}
      <div className="grid grid-cols-1 items-start gap-6 xl:grid-cols-2">
        <div className="space-y-6">
          <Card
            title="Profile"
            description="Your team sees your name. Only the operator of this service can change your e-mail address."
          >
            <ProfileForm />
          </Card>
          <NotificationsCard />
          <TimesCard />
        </div>
        <div className="space-y-6">
          <PasswordCard />
          <SecondFactorCard />
          <SessionsCard />
          <Card title="Your data" description="Everything that is stored about you and your account, as a JSON file.">
            <a href="/api/account/export" download className={buttonLook()}>
              <Download aria-hidden="true" className="size-4" />
              Download your data
            </a>
          </Card>
          <Card
            title="Delete account"
            description="Your keys stop working and you can no longer sign in. This cannot be undone."
          >
            <Button tone="danger" onClick={() => setDeleting(true)}>
              Delete account
            </Button>
          </Card>
        </div>
      </div>
      {isDeleting && <DeleteAccountDialog onClose={() => setDeleting(false)} />}
    </Page>
  )
}

function ProfileForm() {
  const user = useUser()
  const showToast = useToast()
  const save = async (body: { readonly name: string }) => {
    await call('changeUser', { body })
    await refresh('getUser', 'getTeam')
  }
  return (
    <Form
      read={(data) => {
        const name = textOf(data, 'name').trim()
        return name === '' ? { ok: false, problems: { name: 'Enter your name.' } } : { ok: true, values: { name } }
      }}
      submit={async (body) => {
        const before = { name: user.name }
        await save(body)
        showToast('Name saved.', 'done', before.name === '' ? {} : { undo: () => save(before) })
      }}
    >
      {(isBusy) => (
        <>
          <TextField
            // Shows the name that an undo brought back.
            key={user.name}
            name="name"
            label="Name"
            autoComplete="name"
            maxLength={200}
            defaultValue={user.name}
            required
          />
          <TextField name="address" label="E-mail address" type="email" value={user.email} readOnly />
          <Button type="submit" tone="primary" isBusy={isBusy}>
            Save name
          </Button>
        </>
      )}
    </Form>
  )
}

/** Chooses the zone of times. This browser remembers it. */
function TimesCard() {
  const zone = useSyncExternalStore(onZone, chosenZone)
  return (
    <div id="times">
      <Card
        title="Times"
        description="The time zone of requests, audit entries and other events in this browser. Usage and budgets count days and months in UTC."
      >
        <Segments
          legend="Time zone"
          options={[
            ['own', `Your time zone (${ownZoneName()})`],
            ['utc', 'UTC']
          ]}
          value={zone}
          onChange={chooseZone}
        />
        <p className="mt-3 text-sm text-ink-soft">Now: {formatMoment(now())}</p>
      </Card>
    </div>
  )
}
