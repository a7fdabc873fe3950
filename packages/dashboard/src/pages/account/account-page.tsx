import { useState } from 'react'
import { call } from '../../api/call.ts'
import { refresh } from '../../api/queries.ts'
import { TextField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { textOf } from '../../forms/read-fields.ts'
import { useAccount, useUser } from '../../layout/caller.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { useNews } from '../../ui/news.tsx'
import { Page } from '../../ui/page.tsx'
import { ChangePasswordForm } from './change-password-form.tsx'
import { DeleteDialog } from './delete-dialog.tsx'
import { OwnCapForm } from './own-cap-form.tsx'
import { SecondFactorCard } from './second-factor-card.tsx'
import { SessionsCard } from './sessions-card.tsx'

export function AccountPage() {
  const { role } = useAccount()
  const [isDeleting, setDeleting] = useState(false)
  return (
    <Page title="Account" description="You, your password, and what you may spend.">
      <div className="grid grid-cols-1 items-start gap-6 xl:grid-cols-2">
        <Card
          title="Profile"
          description="Your name is shown to your team. Your address is the one that you registered."
        >
          <ProfileForm />
        </Card>
        {role === 'owner' && (
          <Card
            title="Own monthly cap"
            description="Below the plan’s cap, for all keys together. What would go above it is refused."
          >
            <OwnCapForm />
          </Card>
        )}
        <Card title="Password" description="Setting a new one signs you out everywhere else.">
          <ChangePasswordForm />
        </Card>
        <SecondFactorCard />
        <div className="space-y-6">
          <SessionsCard />
          <Card
            title="Delete account"
            description="Your keys stop working, and you cannot sign in any more. This cannot be undone."
          >
            <Button tone="danger" onClick={() => setDeleting(true)}>
              Delete account
            </Button>
          </Card>
        </div>
      </div>
      {isDeleting && <DeleteDialog onClose={() => setDeleting(false)} />}
    </Page>
  )
}

function ProfileForm() {
  const user = useUser()
  const tell = useNews()
  return (
    <Form
      read={(data) => {
        const name = textOf(data, 'name').trim()
        return name === '' ? { ok: false, problems: { name: 'Enter your name.' } } : { ok: true, values: { name } }
      }}
      submit={async (body) => {
        await call('changeUser', { body })
        await refresh('getUser', 'getTeam')
        tell('Your name was changed.')
      }}
    >
      {(isBusy) => (
        <>
          <TextField name="name" label="Name" autoComplete="name" maxLength={200} defaultValue={user.name} required />
          <TextField name="address" label="E-mail address" type="email" value={user.email} readOnly />
          <Button type="submit" tone="primary" isBusy={isBusy}>
            Save name
          </Button>
        </>
      )}
    </Form>
  )
}
