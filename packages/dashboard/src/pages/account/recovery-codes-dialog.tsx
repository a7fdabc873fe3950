import { Download } from 'lucide-react'
import { useEffect, useState } from 'react'
import { call } from '../../api/call.ts'
import { refresh } from '../../api/queries.ts'
import { brand } from '../../brand/brand.ts'
import { DialogForm } from '../../forms/dialog-form.tsx'
import { PasswordField } from '../../forms/fields.tsx'
import type { Reading } from '../../forms/form.tsx'
import { readPasswordAndCode, textOf } from '../../forms/read-fields.ts'
import { Button, buttonLook } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { useToast } from '../../ui/toast.tsx'
import { CodeField } from '../auth/code-field.tsx'

/** Asks for password and code, then shows new recovery codes. */
export function RecoveryCodesDialog({ onClose }: { readonly onClose: () => void }) {
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  if (codes !== null) return <NewRecoveryCodesDialog codes={codes} onClose={onClose} />
  return (
    <Dialog title="Make new recovery codes?" description="Your old recovery codes stop working." onClose={onClose}>
      <DialogForm
        action="Make codes"
        onClose={onClose}
        read={readPasswordAndCode}
        submit={async (body) => {
          const made = await call('makeRecoveryCodes', { body })
          setCodes(made.recovery_codes)
          await refresh('getSecondFactor')
        }}
      >
        <PasswordField name="current_password" label="Password" autoComplete="current-password" required />
        <CodeField />
      </DialogForm>
    </Dialog>
  )
}

/** Shows codes that nobody can read later. */
export function NewRecoveryCodesDialog({
  codes,
  onClose
}: {
  readonly codes: readonly string[]
  readonly onClose: () => void
}) {
  return (
    <Dialog
      key="codes"
      title="Save your recovery codes"
      description="If you lose your phone, sign in with one of these instead. Each works once. We can’t show them again."
      onClose={onClose}
      isDismissable={false}
    >
      <RecoveryCodes codes={codes} onDone={onClose} />
    </Dialog>
  )
}

/** Shows new recovery codes once, to copy or download. */
function RecoveryCodes({ codes, onDone }: { readonly codes: readonly string[]; readonly onDone: () => void }) {
  const text = `${codes.join('\n')}\n`
  return (
    <div className="space-y-4">
      <ul
        aria-label="Recovery codes"
        className="grid grid-cols-1 gap-x-6 gap-y-1.5 rounded-lg border border-line bg-sunken px-4 py-3 font-mono text-sm sm:grid-cols-2"
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        <CopyButton text={text} what="the recovery codes" />
        <DownloadLink text={text} />
      </div>
      <DialogActions>
        <Button tone="primary" onClick={onDone}>
          I saved them
        </Button>
      </DialogActions>
    </div>
  )
}

function DownloadLink({ text }: { readonly text: string }) {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [text])
  return (
    <a href={url} download={`${brand.name} recovery codes.txt`} className={buttonLook({ size: 'small' })}>
      <Download aria-hidden="true" className="size-4" />
      Download
    </a>
  )
}

interface RemoveSecondFactorDialogProps {
  /** Whether the session began with a recovery code: then no code is needed. */
  readonly isRecovered: boolean
  readonly onClose: () => void
}

function readPassword(data: FormData): Reading<{ readonly password: string }> {
  const password = textOf(data, 'current_password')
  return password === ''
    ? { ok: false, problems: { current_password: 'Enter your password.' } }
    : { ok: true, values: { password } }
}

export function RemoveSecondFactorDialog({ isRecovered, onClose }: RemoveSecondFactorDialogProps) {
  const showToast = useToast()
  return (
    <Dialog
      title="Turn off the second factor?"
      description="Signing in then needs only your password. You are signed out everywhere else, and your recovery codes stop working."
      onClose={onClose}
    >
      <DialogForm<{ readonly password: string; readonly code?: string }>
        action="Turn off"
        tone="danger"
        onClose={onClose}
        read={isRecovered ? readPassword : readPasswordAndCode}
        submit={async (body) => {
          await call('removeSecondFactor', { body })
          showToast('The second factor is off.')
          onClose()
          await refresh('getSecondFactor')
        }}
      >
        <PasswordField name="current_password" label="Password" autoComplete="current-password" required />
        {!isRecovered && <CodeField />}
      </DialogForm>
    </Dialog>
  )
}
