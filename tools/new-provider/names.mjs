/** What a new provider is called, everywhere. */
export function namesOf(key, isOwn) {
  if (!/^[a-z][a-zA-Z0-9]*$/.test(key))
    throw new Error(`"${key}" is no block key: letters and digits, first a small letter`);
  return {
    key,
    packageName: `${isOwn ? '@zoneproof/provider-' : 'zoneproof-provider-'}${key.toLowerCase()}`,
    displayName: displayName(key),
    origin: `https://api.${key.toLowerCase()}.example`,
  };
}

/** `fooBar` -> `Foo Bar`, `foodns` -> `Foo DNS`: the vendor's own spelling is for a person to put in. */
function displayName(key) {
  const words = key.replace(/(?<=.)dns$/i, ' DNS').replace(/(?<=[a-z0-9])(?=[A-Z])/g, ' ');
  return (words[0] ?? '').toUpperCase() + words.slice(1).replace('D NS', 'DNS');
}
