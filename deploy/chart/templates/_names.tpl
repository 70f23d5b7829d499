{{- define "zoneproof.name" -}}
{{- contains "zoneproof" .Release.Name | ternary .Release.Name (printf "%s-zoneproof" .Release.Name) | trunc 52 | trimSuffix "-" }}
{{- end }}

{{- define "zoneproof.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (include "zoneproof.name" .) }}
{{- end }}

{{- define "zoneproof.selector" -}}
app.kubernetes.io/name: zoneproof
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "zoneproof.labels" -}}
{{ include "zoneproof.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "zoneproof.image" -}}
{{- $repository := required "image.repository: name the image that you built with deploy/Dockerfile" .Values.image.repository }}
{{- if .Values.image.digest }}{{ $repository }}@{{ .Values.image.digest }}{{ else }}{{ $repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}
