import { useState } from 'react'
import { createRoot } from 'react-dom/client'
import { isCode } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { queryClient, read } from '../../api/queries.ts'
import { DialogForm } from '../../forms/dialog-form.tsx'
import { PasswordField } from '../../forms/fields.tsx'
import type { Reading } from '../../forms/form.tsx'
import { codeOf, onlyProblems, problemOfCode, textOf } from '../../forms/read-fields.ts'
import { signInPath } from '../../layout/sign-in-again.ts'
import { nativeDialogLook, textLink } from '../../ui/class-names.ts'
import { CodeField, focus } from './code-field.tsx'

/** The dialog's title. */
const titleId = 'confirm-identity'

/**
 * Asks the person for their password, and for the code of a second factor, in a dialog above all others.
 *
 * @returns false if they close it
 */
export async function confirmIdentity(): Promise<boolean> {
  // A dialog of the browser itself makes the dialogs of the page inert, and closes none of them.
  const dialog = document.createElement('dialog')
  dialog.className = nativeDialogLook
  dialog.setAttribute('aria-labelledby', titleId)
  document.body.append(dialog)
  // A dialog of the page would keep Escape from closing this one.
  window.addEventListener('keydown', keepEscape, true)
  const root = createRoot(dialog)
  try {
    return await new Promise<boolean>((resolve) => {
      dialog.addEventListener('close', () => resolve(false))
      root.render(<ConfirmIdentity onEnd={resolve} />)
      dialog.showModal()
    })
  } finally {
    window.removeEventListener('keydown', keepEscape, true)
    root.unmount()
    dialog.remove()
  }
}

const keepEscape = (event: KeyboardEvent): void => {
  if (event.key === 'Escape') event.stopImmediatePropagation()
}

interface Given {
  readonly password?: string
  readonly code?: string
}

/** Reads the fields that the form has. */
function readGiven(data: FormData): Reading<Given> {
  const password = data.has('current_password') ? textOf(data, 'current_password') : null
  const code = data.has('code') ? codeOf(data) : null
  const problems = onlyProblems({
    current_password: password === '' ? 'Enter your password.' : null,
    code: code === null ? null : problemOfCode(code)
  })
  if (Object.keys(problems).length > 0) return { ok: false, problems }
  return { ok: true, values: { ...(password !== null && { password }), ...(code !== null && { code }) } }
}

function ConfirmIdentity({ onEnd }: { readonly onEnd: (isConfirmed: boolean) => void }) {
  const hasPassword = queryClient.getQueryData(read('getUser').queryKey)?.user.has_password !== false
  const [needsCode, setNeedsCode] = useState(!hasPassword)
  return (
    <>
      <h2 id={titleId} className="text-lg font-semibold tracking-tight">
        Confirm that it is you
      </h2>
      <p className="mt-1 mb-5 text-sm text-ink-soft">
        {hasPassword
          ? 'Enter your password to continue. It counts for 10 minutes.'
          : 'You have no password. Enter the code of your second factor. Without one, '}
        {!hasPassword && (
          <a href={signInPath({ next: window.location.pathname })} className={textLink}>
            sign in again
          </a>
        )}
        {!hasPassword && '.'}
      </p>
      <DialogForm<Given>
        action="Confirm"
        onClose={() => onEnd(false)}
        read={readGiven}
        submit={async (body) => {
          try {
            await call('reauthenticate', { body })
          } catch (error) {
            if (isCode(error, 'second_factor_required')) return setNeedsCode(true)
            throw error
          }
          onEnd(true)
        }}
      >
        {hasPassword && (
          <PasswordField
            name="current_password"
            label="Your password"
            autoComplete="current-password"
            required
            ref={focus}
          />
        )}
        {needsCode && <CodeField isFocused />}
      </DialogForm>
    </>
  )
}
