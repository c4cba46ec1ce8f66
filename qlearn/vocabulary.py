"""What is known of words before any registry is read: which say little, and which mean the same.

A registry of a few entries can't tell a rare word from a common one, and no registry knows that a caché is
a cache. The tables are short and general; whatever is not in them is taken for a rare word with one meaning.
"""

from __future__ import annotations

from functools import lru_cache

from .tokens import stem, tokens

_STOP_ENGLISH = """
a about above after again against ago all almost alone along already also although always am among an and
another any anybody anyone anything anyway anywhere are aren around as ask at away back be became because
become been before began behind being below besides between beyond bit both but by came can cannot cant come
comes could couldn d did didn do does doesn doing don done dont down during e each either else enough entire
especially etc even ever every everybody everyone everything exactly few first fix for found from full
further gave get gets getting give given gives go goes going gone gonna good got gotten had hadn half happen
happened happening happens hardly has hasn have haven having he hello help her here hers hey hi him his how
however i idea ideas if ill im in indeed instead into is isn it its itself ive just keep keeps kind knew
know known knows last later least less let lets like likely little ll look looked looking looks lot lots m
made make makes making many may maybe me mean means meant might mine more most mostly much must my myself
near need needed needs neither never new next no nobody none nor not nothing now of off often ok okay on
once one ones only onto or other others otherwise ought our ours out over own part parts per perhaps place
please plz possible possibly probably put puts quite rather re really right s said same saw say saying says
second see seem seemed seems seen several shall she should shouldn since so some somebody someone something
sometimes somewhere soon sort still stuff such sure t take taken takes tell than thank thanks that the their
theirs them then there therefore these they thing things think third this those though thought three through
thus till to today together told tomorrow tonight too took toward towards tried tries true try trying turn
turned two under unless unlike until up upon us use used uses using usually ve very via want wanted wants
was wasn way we week well went were weren what whatever when whenever where wherever whether which while who
whole whom whose why will with within without won work worked working works worse would wouldn yeah yes
yesterday yet you your yours yourself
"""

_STOP_SPANISH = """
a al algo alguna algunas alguno algunos algún ahora ante antes aquel aquella aquellos aquí así aun aunque aún
bajo bien cada casi como con contra cosa cosas cual cuales cualquier cuando cuanto cuál cuándo cómo da dan dar
de debe deben debo decir del desde después dice dicho donde dos durante dónde e el ella ellas ellos en
entonces entre era eran eres es esa esas ese eso esos esta estaba están estar estas este esto estos está estás
favor fue fueron ha haber había habían hace hacen hacer hacia hago han hasta hay haya haz he hecho hemos igual
ir la las le les lo los luego mal mas me mejor menos mi mientras mis misma mismas mismo mismos mucha muchas
mucho muchos muy más mí nada nadie ni ninguna ninguno no nos nosotros nuestra nuestro nueva nuevo nunca o os
otra otras otro otros para parece pero poco poder podemos podría poner pone ponerle pongo por porfa porque
pues puede pueden puedes puedo que quien quiere quiero qué se sea sean según ser si sido siempre sin sino
sobre solo somos son su sus sólo sí tal también tampoco tan tanto te tenemos tener tengo ti tiene tienen toda
todas todavía todo todos tras tu tus u un una unas uno unos usamos usar va vale vamos van vez veces ver voy
vuelve y ya yo él ésta éste
"""

# Pairs of syllables, as `tokens` makes them.
_STOP_KOREAN = """
그냥 이거 저거 그거 어떻 떻게 해줘 해야 하면 있는 는데 없는 없이 있다 없다 하는 했는 인데 니다 습니 합니
됩니 에서 으로 부터 까지 때문 문에 그런 런데 근데 이렇 렇게 자꾸 계속 다시 지금 좀더 뭐가 왜지 알려 려줘
하고 되는 했더 더니 같은 같이 라고 면서 하지 않는 않다 않은 이유 줘요 세요 어요 아요 싶은 싶어
므로 시기 바랍 랍니 시오 십시 하기 하시 으므 반드 드시 해둔 두어 둔다 도록 하도 려면 안
"""

# A pair that holds one of these says little.
_STOP_CHINESE = frozenset(
    "的了是在我你他她它这那个吗呢吧就都也很要把被给让用和与或及着过到说去会能可以不没有为什么怎哪里一下帮请看"
)

# Words of so many tasks, errors and lessons on software that to meet one says little, and of fewer but many.
_VERY_COMMON = """
add app application change changed changes check class clean code column command component config
configuration content create created current data date default define delete dev directory doc docs document
endpoint entry error errors exception exit expected fail failed failing fails failure field file files
folder format function get handler id index info input install issue item items java js json key line lines
link list load log logs main message method missing model move name names node number object old open option
order orders output package page param parameter parse path print problem process product production project
py python query read remove rename repo repository request require response result return row rows run
running script send service set setting settings show size source src start state status step stop string
structure system table task test tests text time title tmp traceback ts type types undefined unexpected
update user users util utils valid value values variable version view warning web write wrong
"""

_COMMON = """
account action active address admin answer api argument array assert author async await backend base bin
block body boolean branch break browser bug build button call called case cause cell char character chart
child cli click client clone close collection color com commit compile complete condition connect connection
console constant contain context control convert copy core count customer customers dashboard database day
days db debug declare dependency deploy description detail details device diff disable display dist download
draft draw driver edit editor element email empty enable end engine enter env environment event example
execute export extra false feature feed filter find flag float font form frontend frame generate git github
global group header height home host html http https icon image images import include init insert instance
int integer interface internal invalid invoice invoices job jobs join label language latest layout left
length letter level lib library limit local locale location login logo long manager map markdown match max
menu merge meta min mobile mode module month nav network note notice null num opt org overview panel parent
people permission plain plan plugin point port position post prefix present preview price private profile
program prop property provider public publish pull push random range readme ready record reference release
remote replace report reports reset resource restart review role root route save schema screen search
section select server session setup sheet shop short side sign simple site small sort sql stack staging
store story stream style sub submit success summary support switch syntax tab tag target team template term
theme thread ticket token tool top total track transaction tree trigger truncated unit unknown unused upload
url usage validate var vendor verbose verify video wait width window word worker workflow world year alembic
angular ansible apache aws axios azure bash celery chrome cypress deno django docker dockerfile electron
eslint excel express fastapi firebase flask flutter gcp gitlab go golang gradle grafana graphql grpc
gunicorn helm jackson javascript jenkins jest jpa jquery k8s kafka kotlin kubectl kubernetes lambda laravel
linux mac macos maven mongo mongodb mybatis mysql next nextjs nginx nodejs npm numpy nuxt oracle pandas php
pip playwright pnpm poetry postgres postgresql prettier prometheus psql pydantic pyproject pytest rabbitmq
rails react redis redux ruby ruff rust s3 sass selenium sentry spring sqlalchemy sqlite ssh stripe svelte
swift symfony tailwind terraform tokio tomcat typescript ubuntu unix uvicorn vite vitest vue webpack windows
yarn yml yaml toml tsx jsx css csv xml md sh rs kt rb cpp
"""

# One meaning a line, in English, Korean, Chinese and Spanish; `_` joins the words of a phrase.
_MEANINGS = """
database db 데이터베이스 디비 数据库 base_de_datos bd
table 테이블 数据表 tabla
column 컬럼 칼럼 列名 字段 columna
index 인덱스 색인 索引 índice
transaction 트랜잭션 事务 transacción
migration 마이그레이션 迁移 migración migraciones
schema 스키마 模式 esquema
query 쿼리 질의 查询 consulta
lock 잠금 락 加锁 锁 bloqueo cerrojo
deadlock 교착 데드락 死锁 interbloqueo
cache 캐시 캐싱 缓存 caché
queue 큐 대기열 队列 cola
message 메시지 消息 mensaje
consumer 컨슈머 소비자 消费者 consumidor
worker 워커 工作进程
thread 스레드 쓰레드 线程 hilo
process 프로세스 进程 proceso
timeout 타임아웃 시간초과 超时 tiempo_de_espera
retry 재시도 重试 reintento reintentar
duplicate twice 중복 두번 重复 duplicado
idempotent idempotency 멱등성 멱등 幂等 idempotente
payment pay 결제 支付 付款 pago cobro
refund 환불 退款 reembolso
invoice 청구서 송장 发票 factura
price 가격 단가 价格 precio
amount money 금액 金额 importe
tax vat 세금 부가세 税 impuesto iva
rounding 반올림 四舍五入 舍入 redondeo redondear
order 주문 订单 pedido
customer 고객 客户 cliente
user 사용자 회원 用户 usuario
password 비밀번호 패스워드 密码 contraseña
login signin sign_in 로그인 登录 登陆 iniciar_sesión inicio_de_sesión
session 세션 会话 sesión
token 토큰 令牌
cookie 쿠키
permission 권한 权限 permiso
signature 서명 验签 签名 firma
encryption encrypt 암호화 加密 cifrado cifrar
certificate cert 인증서 证书 certificado
secret credential 시크릿 密钥 凭证 secreto credencial
upload 업로드 上传 subir subida
download 다운로드 下载 descarga
attachment 첨부파일 첨부 附件 adjunto
file 파일 文件 archivo fichero
filename file_name 파일명 파일이름 文件名 nombre_de_archivo nombre_del_fichero
folder directory 폴더 디렉터리 디렉토리 目录 文件夹 carpeta directorio
path 경로 路径 ruta
encoding charset 인코딩 编码 字符集 codificación
garbled mojibake 깨짐 깨져 乱码
newline line_ending crlf 줄바꿈 换行 salto_de_línea
space whitespace 공백 空格 espacio
time_zone timezone tz tzdata 시간대 타임존 时区 zona_horaria huso_horario
daylight_saving dst summer_time 서머타임 夏令时 horario_de_verano
date 날짜 일자 日期 fecha
time 시간 시각 时间 hora
clock 시계 时钟 reloj
schedule scheduler cron crontab 스케줄 스케줄러 예약 定时任务 定时 programado
batch 배치 批处理 批量 lote
job task 작업 任务 tarea
image 이미지 镜像 图片 imagen
container 컨테이너 容器 contenedor
deploy deployment rollout 배포 部署 发布 despliegue desplegar
release 릴리스 릴리즈 发版
production prod 운영 프로덕션 生产 线上 producción
staging 스테이징 预发 preproducción
environment_variable env_var env environ 환경변수 环境变量 variable_de_entorno variables_de_entorno
configuration config settings 설정 配置 configuración ajustes
dependency 의존성 依赖 dependencia
package 패키지 软件包 paquete
lockfile lock_file 락파일 잠금파일 锁文件
version 버전 版本 versión
upgrade 업그레이드 升级 actualizar actualización
install 설치 安装 instalar instalación
build 빌드 构建 打包 construcción
compile compiler 컴파일 编译 compilar compilación
branch 브랜치 分支 rama
commit 커밋 提交
merge 병합 머지 合并 fusionar fusión
conflict 충돌 冲突 conflicto
rebase 리베이스 变基
force_push overwrite 강제푸시 덮어써 덮어쓰 强推 覆盖 sobrescribir
submodule 서브모듈 子模块 submódulo
test 테스트 测试 prueba
fixture 픽스처 夹具
mock monkeypatch 모킹 목객체 模拟
flaky intermittent sporadic 간헐적 가끔 偶发 偶尔 intermitente
error 에러 오류 错误 报错
exception 예외 异常 excepción
log logger 로그 로깅 日志 registro traza
debug 디버깅 调试 depurar depuración
memory 메모리 内存 memoria
leak 누수 泄漏 泄露 fuga
out_of_memory oom oomkilled heap
disk 디스크 磁盘 disco
slow latency 느려 느린 느림 变慢 lento tarda
performance 성능 性能 rendimiento
connection 연결 커넥션 连接 conexión
pool 커넥션풀 连接池
server 서버 服务器 服务端 servidor
client 클라이언트 客户端
request 요청 请求 petición solicitud
response 응답 响应 返回 respuesta
header 헤더 请求头 cabecera
proxy 프록시 代理
redirect 리다이렉트 重定向 redirección redirigir
browser 브라우저 浏览器 navegador
page 페이지 页面 página
pagination paging 페이지네이션 페이징 分页 paginación
button 버튼 按钮 botón
form 폼 表单 formulario
list 목록 리스트 列表 lista listado
array 배열 数组 arreglo
string 문자열 字符串 cadena
integer int 정수 整数 entero
float double decimal 실수 소수 浮点 小数
precision 정밀도 精度 precisión
overflow 오버플로 溢出 desbordamiento
null nil undefined 널 空值 nulo
empty blank 비어 空的 为空 vacío
default 기본값 默认 por_defecto predeterminado
required mandatory 필수 必填 obligatorio
validation validate 검증 유효성 校验 验证 validación validar
regex regexp regular_expression 정규식 정규표현식 正则 expresión_regular
sort order_by 정렬 排序 ordenar ordenación
filter 필터 过滤 筛选 filtro filtrar
search 검색 搜索 búsqueda buscar buscador
delete remove 삭제 제거 删除 borrar eliminar
rename 이름변경 重命名 改名 renombrar
copy 복사 复制 拷贝 copiar copia
generated codegen autogenerated 자동생성 生成的 generado
circular cyclic cycle 순환참조 순환 循环依赖 循环
async asynchronous asyncio 비동기 异步 asíncrono
await coroutine 코루틴 协程 corrutina
callback 콜백 回调
webhook 웹훅 回调通知
event 이벤트 事件 evento
state 상태 状态 estado
render 렌더링 渲染 renderizar
component 컴포넌트 组件 componente
hook 훅 钩子 gancho
primary_key 기본키 主键 clave_primaria
foreign_key 외래키 外键 clave_foránea claves_foráneas
constraint 제약조건 제약 约束 restricción
unique 유니크 고유 唯一 único
backup 백업 备份 copia_de_seguridad
restore 복원 복구 恢复 restaurar
replica replication 복제 레플리카 主从 从库 réplica
rollback roll_back 롤백 되돌 回滚 revertir
personal_data pii gdpr rgpd 개인정보 个人信息 隐私 datos_personales
mask 마스킹 脱敏 enmascarar
injection 인젝션 注入 inyección
security 보안 安全 seguridad
vulnerability 취약점 漏洞 vulnerabilidad
network 네트워크 网络
port 포트 端口 puerto
host hostname 호스트 主机 anfitrión
domain 도메인 域名 dominio
email mail e-mail 메일 이메일 邮件 邮箱 correo
notification 알림 通知 推送 notificación
spreadsheet excel xlsx 엑셀 hoja_de_cálculo
comma 쉼표 逗号 coma
accent diacritic 악센트 重音 tilde
translation translate i18n 번역 翻译 traducción
font 폰트 글꼴 字体 tipografía
screen 화면 屏幕 pantalla
keyboard 키보드 键盘 teclado
product 상품 제품 商品 producto
stock inventory 재고 库存 inventario
coupon voucher discount 쿠폰 할인 优惠券 折扣 descuento cupón
phone telephone 전화번호 전화 手机号 手机 teléfono
address 주소 地址 dirección
script 스크립트 脚本
shell bash sh zsh 셸 쉘
command 명령어 명령 命令 comando
terminal 터미널 终端
pipe pipeline 파이프라인 파이프 管道 tubería
kubernetes k8s kube 쿠버네티스
postgres postgresql psql pg psycopg
mysql mariadb
javascript js 자바스크립트
typescript ts 타입스크립트
python py 파이썬
java 자바
golang go
rust rs
react jsx tsx 리액트
docker dockerfile 도커
terraform tf hcl
spring springboot 스프링부트 스프링
websocket websockets 웹소켓 长连接
interface api endpoint 인터페이스 엔드포인트 接口
expire expiry expiration 만료 过期 失效 caduca caducado expirar
crash 죽어 崩溃 caído
hang hung stuck freeze 멈춤 멈춰 卡住 卡死 colgado cuelga atascado
scroll 스크롤 滚动 desplazamiento
click 클릭 点击
tenant 테넌트 租户 inquilino
ssl tls
stylesheet style css 스타일 样式 estilo
class 클래스 类名 clase
method 메서드 메소드 方法 método
function 함수 函数 función
field 필드 campo
"""

# How many texts out of a hundred hold a word, for want of better knowledge.
_BACKGROUND = (0.2, 0.05)


def is_stop(word: str) -> bool:
    """Tell whether a word says nothing: grammar, or a single letter."""
    if word in _stop_words():
        return True
    if "\u3400" <= word[0] <= "\u9fff":
        return word not in spaceless() and not _STOP_CHINESE.isdisjoint(word)
    return len(word) == 1 and word.isascii()


def background(word: str) -> float:
    """Guess in which share of all texts on software a word stands: 0.2, 0.05 or 0."""
    return _common().get(word, 0.0)


def same_meaning(word: str) -> tuple[str, ...]:
    """List the forms of what a word or phrase means, itself included; () where the table has none.

    A form is a stem, a phrase as it is written, or a word of a script without spaces.
    """
    meanings, groups = _meanings()
    return tuple(dict.fromkeys(form for group in groups.get(word, ()) for form in meanings[group]))


def is_phrase(words: str) -> bool:
    """Tell whether stems, joined by spaces, are a phrase of the table."""
    return words in _meanings()[1]


@lru_cache(maxsize=1)
def spaceless() -> frozenset[str]:
    """The words of the table of meanings in scripts without spaces."""
    return frozenset(word for word in _MEANINGS.split() if word[0] >= "\u3000")


@lru_cache(maxsize=1)
def _stop_words() -> frozenset[str]:
    words = (_STOP_ENGLISH + _STOP_SPANISH).split()
    return frozenset((*words, *map(stem, words), *_STOP_KOREAN.split()))


@lru_cache(maxsize=1)
def _common() -> dict[str, float]:
    common = dict.fromkeys(map(stem, _COMMON.split()), _BACKGROUND[1])
    return common | dict.fromkeys(map(stem, _VERY_COMMON.split()), _BACKGROUND[0])


@lru_cache(maxsize=1)
def _meanings() -> tuple[tuple[tuple[str, ...], ...], dict[str, tuple[int, ...]]]:
    meanings = []
    groups: dict[str, tuple[int, ...]] = {}
    for number, line in enumerate(_MEANINGS.strip().splitlines()):
        forms = []
        for entry in line.split():
            form = entry.replace("_", " ")
            key = " ".join(tokens(form)) if form != entry else stem(form)
            forms.append(form if form != entry else key)
            groups[key] = (*groups.get(key, ()), number)
        meanings.append(tuple(forms))
    return tuple(meanings), groups
