import { useState } from 'preact/hooks';
import type { Access } from '../reading/access.ts';

interface TokenFormProps {
  readonly title: string;
  readonly given: Access;
  /** What the collector said to what was given, where it refused that. */
  readonly refused?: string;
  readonly onGiven: (access: Access) => void;
}

/** Asks for the token that the collector wants. */
export function TokenForm({ title, given, refused, onGiven }: TokenFormProps) {
  const [token, setToken] = useState(given.token);
  const [tenant, setTenant] = useState(given.tenant);
  return (
    <form
      class="notice"
      onSubmit={(event) => {
        event.preventDefault();
        onGiven({ token: token.trim(), tenant: tenant.trim() });
      }}
    >
      <h2>{title}</h2>
      <p>
        One with the scope <code>read</code>. It is kept for this tab only, and sent to this collector only.
      </p>
      {given.token === '' || refused === undefined ? null : (
        <p class="bad" role="alert">
          {refused}
        </p>
      )}
      <label>
        Token
        <input
          type="password"
          autocomplete="off"
          required
          value={token}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
      </label>
      <label>
        Tenant, where the token may read several
        <input type="text" value={tenant} onInput={(event) => setTenant(event.currentTarget.value)} />
      </label>
      <button type="submit">Look</button>
    </form>
  );
}
