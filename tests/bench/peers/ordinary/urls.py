"""The address, the same as ours."""

from rest_framework.routers import SimpleRouter

from tests.bench.peers.ordinary.views import PaymentViewSet

router = SimpleRouter(trailing_slash=False)
router.register("api/v2/payments", PaymentViewSet, basename="payment")
urlpatterns = router.urls
